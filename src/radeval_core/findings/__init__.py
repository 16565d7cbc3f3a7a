"""The embedded findings parser: what a report says, with rules and a lexicon, without any model."""

from radeval_core.findings.parser import FindingsParser, default_parser, parse
from radeval_core.findings.regions import imagenome_regions
from radeval_core.findings.structures import Finding, ParsedReport, Sentence

__all__ = ["Finding", "FindingsParser", "ParsedReport", "Sentence", "default_parser", "imagenome_regions", "parse"]
