"""A tiny encoder, a few invented sentences, and settings that train for seconds."""

import json
from pathlib import Path

#: a random encoder of 2 layers, in the published layout
ENCODER = Path(__file__).parents[2] / "parity" / "ratescore" / "encoder"
_SIDES = ("left", "right")
_FINDINGS = {"effusion": "Abnormality", "pneumonia": "Disease", "opacity": "Abnormality"}


def write_sentences(path: Path) -> Path:
    """Write sentences of twenty studies from two sources, in all three splits."""
    rows = []
    for number in range(20):
        split = {8: "dev", 9: "test"}.get(number % 10, "train")
        for i, (finding, kind) in enumerate(_FINDINGS.items()):
            side = _SIDES[(number + i) % 2]
            denied = number % 3 == 0
            words = ["No", finding, "in", "the", side, "lung", "."] if denied else ["The", side, "lung", "has", finding]
            tags = ["O"] * len(words)
            tags[words.index(finding)] = f"B-{'Non-' if denied else ''}{kind}"
            tags[words.index(side)], tags[words.index("lung")] = "B-Anatomy", "I-Anatomy"
            named = {"id": f"{number}-{i}", "study": str(number), "source": "xy"[number // 10], "split": split}
            rows.append({**named, "tokens": words, "tags": tags})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def settings(scheme: str = "iob", **changes):
    """Return settings that train the tiny encoder for a few steps."""
    from radeval_core.train.ner.entity_encoder import choose_encoder
    from radeval_core.train.ner.recipes import get_base, get_recipe
    from radeval_core.train.ner.run import NerSettings

    base = get_base(str(ENCODER))
    recipe = get_recipe(scheme, base, batch=16, learning_rate=0.01, head_width=32)
    given = {"steps": 6, "eval_steps": 3, "device": "cpu", **changes}
    return NerSettings(base, scheme, recipe, choose_encoder(str(ENCODER)), **given)
