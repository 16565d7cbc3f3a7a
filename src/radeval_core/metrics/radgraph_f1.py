"""`radgraph_f1`: agreement of two reports on entities and relations in RadGraph's schema."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from radeval_core.findings.types import RadGraph
from radeval_core.findings.views.radgraph import radgraph
from radeval_core.functional.radgraph import LEVELS, GraphStatements, radgraph_f1, statements
from radeval_core.metrics._annotated import AnnotatedScorer
from radeval_core.metrics.base import Option, PairScores
from radeval_core.metrics.spec import Config, EmptyRule, MetricSpec, Part
from radeval_core.pairs import Pair, is_blank

if TYPE_CHECKING:
    from radeval_core.annotators.findings import ReportView
    from radeval_core.annotators.radgraph import RadGraphAnnotator

PARTS = (*LEVELS, "combined")
PUBLISHED = "StanfordAIMI/RRG_scorers"

SPEC = MetricSpec(
    name="radgraph_f1",
    measures="entities and relations of reports in RadGraph's schema (F1)",
    version=6,
    higher_is_better=True,
    bounds=(0.0, 1.0),
    symmetric=True,
    identity=1.0,
    empty=EmptyRule(0.0, 0.0, 0.0, "a report without entities has nothing to match"),
    multi_reference=False,
    corpus_headline=False,
    two_pass=False,
    parts={
        **{level: Part(True, f"F1 at the level {level}") for level in LEVELS},
        "combined": Part(True, "mean of entity and relation F1, as in RadCliQ"),
    },
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
    Fonseca, Eduardo Kaiser Ururahy Nunes and Lee, Henrique Min Ho and Abad, Zahra Shakeri Hossein and Ng, Andrew Y.
    and Langlotz, Curtis P. and Venugopal, Vasantha Kumar and Rajpurkar, Pranav},
  journal={Patterns}, volume={4}, number={9}, year={2023}
}
@inproceedings{jain2021radgraph,
  title={RadGraph: Extracting Clinical Entities and Relations from Radiology Reports},
  author={Jain, Saahil and Agrawal, Ashwin and Saporta, Adriel and Truong, Steven Q. H. and Duong, Du Nguyen and
    Bui, Tan and Chambon, Pierre and Zhang, Yuhao and Lungren, Matthew P. and Ng, Andrew Y. and Langlotz, Curtis P.
    and Rajpurkar, Pranav},
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


class RadgraphF1Scorer(AnnotatedScorer):
    """Reads the graph of each distinct report once, then computes F1 of each pair."""

    spec = SPEC
    options: ClassVar = {
        "lowercase": Option(True, bool, "compare words in lower case; False compares them as radgraph 0.1.18 did"),
        "habits": Option(
            "published",
            str,
            "whose habits the embedded graphs follow; published: radgraph-xl for the levels, radgraph for `combined`",
            ("published", "radgraph", "radgraph-xl"),
        ),
    }

    @property
    def annotator(self) -> RadGraphAnnotator | ReportView[RadGraph]:
        r = self.resources
        if not self.source:
            return self._view("radgraph" if self.chosen["habits"] == "radgraph" else "radgraph-xl")
        with self.needs_models():
            from radeval_core.annotators.radgraph import radgraph_annotator
        name = None if self.checkpoint else self.config.name
        return radgraph_annotator(self.source, name, r.device, r.batch_tokens, r.progress)

    def _view(self, like: str) -> ReportView[RadGraph]:
        return self.resources.view(like, partial(radgraph, like=like), lambda graph: graph.memory_size)

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        texts = list(dict.fromkeys(t for p in pairs for t in (p.prediction, p.reference)))
        graphs = self.graphs(texts)
        said = {text: statements(graph, self.chosen["lowercase"]) for text, graph in graphs.items()}
        if not self.source and self.chosen["habits"] == "published":
            said = {text: self._with_radcliqs(said[text], graph) for text, graph in self._radcliq_graphs(texts).items()}
        rows = [radgraph_f1(said[pair.prediction], said[pair.reference]) for pair in pairs]
        values = {part: np.array([row[part] for row in rows]) for part in PARTS}
        details = [self._detail(pair, graphs, said) for pair in pairs] if detailed else None
        return PairScores({"radgraph_f1": values["partial"], **values}, details=details)

    def graphs(self, texts: Sequence[str]) -> dict[str, RadGraph]:
        """Return the graph of each text. A blank report has no entities; no model reads it."""
        blank = {text: RadGraph("", (), ()) for text in texts if is_blank(text)}
        written = [text for text in texts if text not in blank]
        return blank | self.annotate(written)

    def _radcliq_graphs(self, texts: Sequence[str]) -> dict[str, RadGraph]:
        """Return the graph of each text as the first RadGraph reads it, which RadCliQ was fitted on."""
        return self.resources.store.annotate(self._view("radgraph"), texts)

    def _with_radcliqs(self, said: GraphStatements, graph: RadGraph) -> GraphStatements:
        """Return the statements with those of `combined` taken from another graph of the report."""
        other = statements(graph, self.chosen["lowercase"])
        return replace(said, entities=other.entities, relations=other.relations)

    def _detail(self, pair: Pair, graphs: dict[str, RadGraph], said: dict[str, GraphStatements]) -> dict[str, Any]:
        """Return both graphs and the statements they have in common."""
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
        """Return a graph as plain values; `start` and `end` of entities are characters of its `text`."""
        graph = graphs[text]
        return {
            "text": graph.text,
            "entities": [
                {"tokens": e.tokens, "label": e.label, "start": e.start, "end": e.end} for e in graph.entities
            ],
            "relations": [{"source": r.source, "relation": r.kind, "target": r.target} for r in graph.relations],
            "windows": 1 if is_blank(text) else self.annotator.windows(text),
        }

    def signature_fields(self) -> dict[str, object]:
        case = "lower" if self.chosen["lowercase"] else "0.1.18"
        habits = {} if self.source else {"habits": self.chosen["habits"]}
        return {**self.annotator.fields, **habits, "case": case, "combined": "as-written"}


def _listed(statement: Any) -> Any:
    """Return a statement with lists for tuples, as JSON has it."""
    return [_listed(part) for part in statement] if isinstance(statement, tuple) else statement


SCORER = RadgraphF1Scorer
