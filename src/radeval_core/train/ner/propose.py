"""Mark the entities of reports half-automatically (appendix A.2 of the RaTEScore paper), as data for `train ner`.

1. A model, or the embedded parser, proposes the entities of each sentence.
2. Every entity is compared with a library of known names; one whose nearest name has a cosine below 0.83 is removed.
3. A sentence is removed if its entities have less than 0.7 of its words. The paper does not define this density. Ours
   counts content words: neither function words (`the`, `of`) nor words of reporting (`seen`), nor cues (`no`,
   `possible`).
4. Polarity (Non-Abnormality, Non-Disease) comes from the scopes of negation and from words of normality.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from radeval_core.annotators.rate_sentences import rate_sentences
from radeval_core.findings import FindingsParser
from radeval_core.findings.coverage import NO_CONTENT
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.match import find_forms
from radeval_core.findings.text import tokenize
from radeval_core.findings.views.rate import rate_entities
from radeval_core.train.ner.entity_library import EntityLibrary
from radeval_core.train.ner.sentences import Span

#: thresholds of the paper
SIMILARITY, DENSITY = 0.83, 0.7
#: sentences that are proposed and compared together
_CHUNK = 512
_LETTER = re.compile(r"\w")
#: cues that only say whether and how sure something is there
_CUES = frozenset({"negate", "negate_after", "doubt", "doubt_after", "affirm", "terminate"})


class Proposer(Protocol):
    """Proposes the entities of sentences."""

    @property
    def name(self) -> str:
        """Return what proposes, for the record."""

    def propose(self, sentences: Sequence[str]) -> list[list[Span]]:
        """Return the proposed entities of each sentence, in the order of the text."""


class ParserProposer:
    """Proposes what the embedded findings parser reads."""

    name = "embedded parser"

    def __init__(self, parser: FindingsParser) -> None:
        self.parser = parser

    def propose(self, sentences: Sequence[str]) -> list[list[Span]]:
        """Return the entities of each sentence, with their polarity."""
        read = (rate_entities(self.parser.parse(sentence)) for sentence in sentences)
        return [[(e.start, e.end, e.type) for e in entities] for entities in read]


@dataclass(frozen=True)
class Pipeline:
    """The steps after the proposal.

    Attributes:
        proposer: proposes entities.
        library: the known names.
        lexicon: tells words of content from others.
        similarity: smallest cosine of an entity with a known name.
        density: smallest share of content words in entities.
        source: name of the data, in the column `source`.
        counts: what was read and what each step removed.
    """

    proposer: Proposer
    library: EntityLibrary
    lexicon: Lexicon
    similarity: float
    density: float
    source: str
    counts: Counter[str]

    def rows(self, reports: Iterable[tuple[str | int, str]]) -> Iterator[dict[str, Any]]:
        """Yield a row for `train ner` per sentence that is kept."""
        sentences = self._sentences(reports)
        while chunk := list(islice(sentences, _CHUNK)):
            proposed = self.proposer.propose([text for _, _, text in chunk])
            whole = [self._whole(text, spans) for (_, _, text), spans in zip(chunk, proposed, strict=True)]
            kept = self._similar([text for _, _, text in chunk], whole)
            for (study, number, text), spans in zip(chunk, kept, strict=True):
                if not self._dense(text, spans):
                    self.counts["sentences below the density"] += 1
                    continue
                self.counts["sentences kept"] += 1
                self.counts["entities kept"] += len(spans)
                entities = [{"start": a, "end": b, "label": kind, "text": text[a:b]} for a, b, kind in spans]
                named = {"id": f"{study}-{number}", "study": str(study), "source": self.source}
                yield {**named, "text": text, "entities": entities}

    def _sentences(self, reports: Iterable[tuple[str | int, str]]) -> Iterator[tuple[str | int, int, str]]:
        """Yield the study, number and text of each distinct sentence."""
        seen: set[int] = set()
        for study, report in reports:
            self.counts["reports"] += 1
            for number, (start, end) in enumerate(rate_sentences(report), start=1):
                text = report[start:end]
                self.counts["sentences"] += 1
                if hash(text) in seen:
                    self.counts["repeated sentences"] += 1
                    continue
                seen.add(hash(text))
                yield study, number, text

    def _whole(self, text: str, spans: Sequence[Span]) -> list[Span]:
        """Return the entities that begin and end with a whole word."""
        self.counts["entities proposed"] += len(spans)
        kept = [span for span in spans if _is_whole(text, *span[:2])]
        self.counts["entities inside a word"] += len(spans) - len(kept)
        return kept

    def _similar(self, texts: Sequence[str], proposed: Sequence[Sequence[Span]]) -> list[list[Span]]:
        """Return the entities that are similar to a known name."""
        names = [text[a:b] for text, spans in zip(texts, proposed, strict=True) for a, b, _ in spans]
        values = iter(self.library.similarities(names))
        kept = [[span for span in spans if next(values) >= self.similarity] for spans in proposed]
        self.counts["entities below the similarity"] += len(names) - sum(map(len, kept))
        return kept

    def _dense(self, text: str, spans: Sequence[Span]) -> bool:
        """Return True if enough of a sentence's content words are in entities; False without entities."""
        tokens = tokenize(text)
        cues = {
            i
            for form in find_forms(tokens.words, self.lexicon)
            if form.roles.cues & _CUES and not form.roles.finding
            for i in range(form.start, form.end)
        }
        content = [i for i, word in enumerate(tokens.words) if word not in NO_CONTENT and i not in cues]
        marked = [i for i in content if any(a <= tokens.starts[i] < b for a, b, _ in spans)]
        return bool(spans) and len(marked) >= self.density * len(content)


def _is_whole(text: str, start: int, end: int) -> bool:
    """Return True if no word goes on before or after a span, and it has no space at its ends."""
    inner = text[start:end]
    before, after = text[start - 1 : start], text[end : end + 1]
    joined = (_LETTER.match(before) and _LETTER.match(inner)) or (_LETTER.match(after) and _LETTER.match(inner[-1:]))
    return inner == inner.strip() and bool(inner) and not joined
