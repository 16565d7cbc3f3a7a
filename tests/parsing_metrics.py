"""The metrics whose embedded config reads findings, for the tests about them."""

PARSING = (
    "chexbert_f1",
    "chexprompt",
    "crimson",
    "ct_f1",
    "ffl_rq",
    "fineradscore",
    "green",
    "radcliq",
    "radfact",
    "radgraph_f1",
    "ratescore",
    "srrbert_f1",
    "temporal_f1",
)
