"""The paper's sensitivity experiment (table 3): RQ falls for every kind of error, but not for synonyms or new order."""

import json
from pathlib import Path

import pytest

from radeval_core import load
from radeval_core.findings.perturb import KINDS, MEANING_KEPT, perturb

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "pairs.jsonl"
#: invented chest reports; most can be changed in every way
REPORTS = [
    "There is a small left pleural effusion. The heart is mildly enlarged. No pneumothorax. Opacity in "
    "the right lower lobe.",
    "Moderate right pleural effusion with adjacent atelectasis. No focal consolidation. Mild scoliosis of the "
    "thoracic spine.",
    "FINDINGS: Patchy opacity in the left upper lobe. Heart size is normal. No effusion or pneumothorax.\n"
    "IMPRESSION: Left upper lobe pneumonia.",
    "Large right pneumothorax. Left lung is clear. Nondisplaced fracture of the right clavicle. No mediastinal shift.",
    "Severe emphysema. Nodule in the right upper lobe. Small hiatal hernia. No pleural effusion.",
    "Mild pulmonary edema. Small bilateral pleural effusions. The heart is severely enlarged. No pneumothorax.",
    "Left lower lobe consolidation. Small left pleural effusion. Degenerative changes of the thoracic spine.",
    "The lungs are clear. No pleural effusion. Mild cardiomegaly. Calcified granuloma in the left lower lobe.",
    "Right upper lobe mass. Large right hilar lymphadenopathy. No effusion. Elevated right hemidiaphragm.",
    "Bibasilar atelectasis. Low lung volumes. An endotracheal tube is in place. No pneumothorax or effusion.",
    "Minimal scarring at the left lung apex. Tortuous aorta. No acute disease. Old fracture of the left clavicle.",
    "1. Large left pleural effusion.\n2. Right lower lobe atelectasis.\n3. Mild vascular congestion.\n"
    "4. No pneumothorax.",
]
SEEDS = (0, 1)


@pytest.fixture(scope="module")
def falls():
    """Return, per kind, how far RQ falls below 1 for each report that can be changed in that way."""
    references = [json.loads(line)["reference"] for line in EXAMPLES.read_text("utf-8").splitlines()]
    metric = load("ffl_rq")
    found = {}
    for kind in KINDS:
        pairs = [
            (changed.text, text)
            for text in [*REPORTS, *references]
            for seed in SEEDS
            if (changed := perturb(text, kind, seed)) is not None
        ]
        predictions, truths = zip(*pairs, strict=True)
        found[kind] = [1 - value for value in metric.compute(predictions, truths)["scores"]]
    return found


def mean(values):
    return sum(values) / len(values)


@pytest.mark.parametrize("kind", KINDS)
def test_most_reports_can_be_changed(falls, kind):
    assert len(falls[kind]) >= 0.6 * len(SEEDS) * (len(REPORTS) + 16)


@pytest.mark.parametrize("kind", sorted(set(KINDS) - MEANING_KEPT))
def test_rq_falls_with_every_kind_of_error(falls, kind):
    assert mean(falls[kind]) > 0.05
    assert all(fall > 0 for fall in falls[kind])
    assert mean(falls[kind]) > 2 * max(mean(falls[kept]) for kept in MEANING_KEPT)


@pytest.mark.parametrize("kind", sorted(MEANING_KEPT))
def test_rq_does_not_fall_if_the_meaning_is_kept(falls, kind):
    assert mean(falls[kind]) == pytest.approx(0, abs=0.01)
