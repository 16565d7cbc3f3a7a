"""`radgraph_f1`: do two reports state the same entities and relations, in RadGraph's schema?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from radeval_core.errors import needs_extra
from radeval_core.findings import parse
from radeval_core.findings.lexicon_files import fingerprint
from radeval_core.findings.structures import RadGraph
from radeval_core.findings.views.radgraph import radgraph
from radeval_core.pairs import Pair, is_blank
from radeval_core.scorer import Option, PairScores, Scorer
from radeval_core.scores.radgraph import LEVELS, GraphStatements, radgraph_f1, statements
from radeval_core.spec import Config, EmptyRule, MetricSpec

if TYPE_CHECKING:
    from radeval_core.annotators.radgraph import RadGraphAnnotator

PARTS = (*LEVELS, "combined")
PUBLISHED = "StanfordAIMI/RRG_scorers"

SPEC = MetricSpec(
    name="radgraph_f1",
    measures="entities and relations of reports in RadGraph's schema (F1)",
    version=2,
    higher_is_better=True,
    bounds=(0.0, 1.0),
    symmetric=True,
    identity=1.0,
    empty=EmptyRule(0.0, 0.0, 0.0, "a report without entities has nothing to match"),
    multi_reference=False,
    corpus_headline=False,
    two_pass=False,
    parts=PARTS,
    configs=(
        Config("embedded", "our findings parser in RadGraph's schema, no model"),
        Config("radgraph", "RadGraph, chest X-ray, as in RadCliQ", PUBLISHED, "models"),
        Config("radgraph-xl", "RadGraph-XL, several modalities and regions", PUBLISHED, "models"),
        Config("modern-radgraph-xl", "RadGraph-XL on a ModernBERT encoder", PUBLISHED, "models"),
        Config("echograph", "echocardiography reports", PUBLISHED, "models"),
    ),
    takes_checkpoint=True,
    backends=(),
    citation="""@article{yu2023evaluating,
  title={Evaluating progress in automatic chest X-ray radiology report generation},
  author={Yu, Feiyang and Endo, Mark and Krishnan, Rayan and Pan, Ian and Tsai, Andy and Reis, Eduardo Pontes and
    Fonseca, Eduardo Kaiser Urbano Nunes and Lee, Henrique Min Ho and Abad, Zahra Shakeri Hossein and
    Ng, Andrew Y. and others},
  journal={Patterns}, volume={4}, number={9}, year={2023}
}
@inproceedings{jain2021radgraph,
  title={RadGraph: Extracting Clinical Entities and Relations from Radiology Reports},
  author={Jain, Saahil and Agrawal, Ashwin and Saporta, Adriel and Truong, Steven Q. H. and Duong, Du Nguyen and
    Bui, Tan and Chambon, Pierre and Zhang, Yuhao and Lungren, Matthew P. and Ng, Andrew Y. and others},
  booktitle={NeurIPS Datasets and Benchmarks}, year={2021}
}
@inproceedings{delbrouck2024radgraphxl,
  title={RadGraph-XL: A Large-Scale Expert-Annotated Dataset for Entity and Relation Extraction from Radiology
    Reports},
  author={Delbrouck, Jean-Benoit and Chambon, Pierre and Chen, Zhihong and Varma, Maya and Johnston, Andrew and
    Blankemeier, Louis and Van Veen, Dave and Bui, Tan and Truong, Steven and Langlotz, Curtis},
  booktitle={Findings of ACL}, year={2024}
}""",
    urls=(
        "https://doi.org/10.1016/j.patter.2023.100802",
        "https://arxiv.org/abs/2106.14463",
        "https://aclanthology.org/2024.findings-acl.765",
    ),
)


@lru_cache(maxsize=512)
def _embedded_graph(text: str) -> RadGraph:
    """The parser's graph of a report; `radcliq` asks for it too."""
    return radgraph(parse(text))


class RadgraphF1Scorer(Scorer):
    """The graph of each distinct report once, then F1 of each pair."""

    spec = SPEC
    options: ClassVar = {"lowercase": Option(True, bool)}

    @property
    def source(self) -> str:
        """Hub id or folder; empty for our parser."""
        return self.checkpoint or self.config.checkpoint

    @property
    def annotator(self) -> RadGraphAnnotator:
        try:
            from radeval_core.annotators.radgraph import radgraph_annotator
        except ImportError as error:
            raise needs_extra("models", f"config {self.config.name!r} of radgraph_f1") from error
        r = self.resources
        name = None if self.checkpoint else self.config.name
        return radgraph_annotator(self.source, name, r.device, r.batch_tokens, r.progress)

    def warm_up(self) -> None:
        if self.source:
            _ = self.annotator

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        graphs = self.graphs(list(dict.fromkeys(t for p in pairs for t in (p.prediction, p.reference))))
        said = {text: statements(graph, self.chosen["lowercase"]) for text, graph in graphs.items()}
        rows = [radgraph_f1(said[pair.prediction], said[pair.reference]) for pair in pairs]
        values = {part: np.array([row[part] for row in rows]) for part in PARTS}
        details = [self._detail(pair, graphs, said) for pair in pairs] if detailed else None
        return PairScores({"radgraph_f1": values["partial"], **values}, details=details)

    def graphs(self, texts: Sequence[str]) -> dict[str, RadGraph]:
        """The graph of each text. A blank report has no entities, whatever a model makes of no words."""
        blank = {text: RadGraph("", (), ()) for text in texts if is_blank(text)}
        written = [text for text in texts if text not in blank]
        if not self.source:
            return blank | {text: _embedded_graph(text) for text in written}
        return blank | self.resources.store.annotate(self.annotator, written)

    def _detail(self, pair: Pair, graphs: dict[str, RadGraph], said: dict[str, GraphStatements]) -> dict[str, Any]:
        """Both graphs, and the statements they have in common."""
        prediction, reference = said[pair.prediction], said[pair.reference]
        levels = (*LEVELS, "entities", "relations")
        return {
            "prediction": self._described(pair.prediction, graphs),
            "reference": self._described(pair.reference, graphs),
            "matched": {
                level: sorted(map(_listed, getattr(prediction, level) & getattr(reference, level)), key=str)
                for level in levels
            },
        }

    def _described(self, text: str, graphs: dict[str, RadGraph]) -> dict[str, Any]:
        """A graph as plain values; the places of entities are characters of its `text`."""
        graph = graphs[text]
        windows = self.annotator.windows(text) if self.source and not is_blank(text) else 1
        return {
            "text": graph.text,
            "entities": [
                {"tokens": e.tokens, "label": e.label, "start": e.start, "end": e.end} for e in graph.entities
            ],
            "relations": [{"source": r.source, "relation": r.kind, "target": r.target} for r in graph.relations],
            "windows": windows,
        }

    def signature_fields(self) -> dict[str, object]:
        case = {"case": "lower" if self.chosen["lowercase"] else "0.1.18", "combined": "as-written"}
        if not self.source:
            return {"lexicon": fingerprint()[:8], **case}
        return {"model": self.annotator.model_name, "encoder": self.annotator.encoder_name, **case}


def _listed(statement: Any) -> Any:
    """A statement as JSON writes it."""
    return [_listed(part) for part in statement] if isinstance(statement, tuple) else statement


SCORER = RadgraphF1Scorer
