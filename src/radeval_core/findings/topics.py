"""Tell the heading of a field from a place: under `LUNGS:`, cardiomegaly is in the heart, a rib fracture in the rib."""

from __future__ import annotations

from collections.abc import Sequence

from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.scene import Mention, Scene
from radeval_core.findings.special import ANYWHERE, part_of_body

#: headings of the fields of a chest report: each covers more than the organ it names
_TOPICS = frozenset(
    {"chest", "lung", "pleura", "heart", "cardiac_silhouette", "mediastinum", "cardiomediastinal", "hilum",
     "pulmonary_vessels", "diaphragm"}
)  # fmt: skip
#: findings with a usual place that are as well found in others: `Mediastinum: Calcified granuloma`
_MOVABLE = frozenset(
    {"opacity", "density", "nodule", "granuloma", "calcified_granuloma", "granulomatous_disease", "infection",
     "contusion", "cavity", "scarring", "lucency", "air_cyst", "atherosclerosis"}
)  # fmt: skip
#: tissues that every part of the body has; a bone, in contrast, is in no organ
_TISSUES = ANYWHERE - {"bone"}


def read_topics(scene: Scene) -> frozenset[str]:
    """Return the regions of the heading that a sentence begins with, if it is the heading of a field of the chest."""
    if not scene.heading:
        return frozenset()
    named = frozenset(m.roles.region for m in scene.within(0, scene.heading) if m.roles.region)
    return named if named <= _TOPICS else frozenset()


def prefer_written_places(scene: Scene, mentions: Sequence[Mention]) -> None:
    """Drop the heading from the places of findings whose place is written: `LUNGS: Left rib fracture`."""
    topics = read_topics(scene)
    for mention in mentions if topics else ():
        written = [region for region in mention.anatomy if region not in topics]
        if any(part_of_body(scene.lexicon, region) not in _TISSUES for region in written):
            mention.anatomy = written


def prefer_usual_places(scene: Scene, mentions: Sequence[Mention]) -> None:
    """Drop the heading from the places of findings that are in another organ: `LUNGS: Cardiomegaly`.

    Call it when the findings have their names: the name may come from the heading (`Thyroid: Nodule`).
    """
    topics = read_topics(scene)
    for mention in mentions if topics else ():
        usual = scene.lexicon.entries[mention.finding].regions
        if not usual or not topics.issuperset(mention.anatomy):
            continue
        if part_of_body(scene.lexicon, usual[0]) not in _TISSUES:
            mention.anatomy = _fitting(mention, usual, scene.lexicon)


def _fitting(mention: Mention, usual: Sequence[str], lexicon: Lexicon) -> list[str]:
    """Return the topics that are a place of this finding; none means its usual place."""
    if set(usual) & set(mention.anatomy):
        return [region for region in mention.anatomy if region in usual]
    inside = [region for region in mention.anatomy if set(usual) & set(lexicon.ancestors(region))]
    vaguer = any(region in lexicon.ancestors(place) for region in mention.anatomy for place in usual)
    return inside or ([] if vaguer or mention.finding not in _MOVABLE else mention.anatomy)
