"""The embedded findings parser: reads the findings of a report with rules and a lexicon, without any model."""

from radeval_core.findings.coverage import Coverage, coverage_of
from radeval_core.findings.parser import FindingsParser, parse
from radeval_core.findings.regions import imagenome_regions
from radeval_core.findings.types import Finding, ParsedReport, Sentence

__all__ = [
    "Coverage",
    "Finding",
    "FindingsParser",
    "ParsedReport",
    "Sentence",
    "coverage_of",
    "imagenome_regions",
    "parse",
]
