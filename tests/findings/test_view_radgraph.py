"""RadGraph's entities and relations follow the conventions of its annotators."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radeval_core.findings import parse
from radeval_core.findings.types import GraphEntity, RadGraph, Relation
from radeval_core.findings.views.radgraph import radgraph

WORDS = (
    "no small left right pleural effusion heart size is normal are clear lungs pneumonia , . ; and or possible opacity "
    "lower lobe of the without acute process mildly enlarged XXXX left-sided in may represent stable with limits "
    "within focal area contours mediastinal cardiac soft tissue"
)
REPORTS = st.lists(st.sampled_from(WORDS.split()), max_size=30).map(" ".join)


def read(text: str, like: str = "radgraph") -> tuple[str, str]:
    """Return the entities as `word label` and the relations as `word kind word`, each list as one line."""
    graph = radgraph(parse(text), like)
    words = [entity.tokens for entity in graph.entities]
    entities = [f"{entity.tokens} {entity.label}" for entity in graph.entities]
    relations = sorted(f"{words[r.source]} {r.kind} {words[r.target]}" for r in graph.relations)
    return ", ".join(entities), ", ".join(relations)


CASES = {
    "": ("", ""),
    "Thank you.": ("", ""),
    # an observation and its place
    "No pleural effusion.": ("pleural ANAT-DP, effusion OBS-DA", "effusion located_at pleural"),
    "Possible small right apical pneumothorax.": (
        "small OBS-U, right ANAT-DP, apical ANAT-DP, pneumothorax OBS-U",
        "pneumothorax located_at apical, right modify apical, small modify pneumothorax",
    ),
    "Opacity in the left lower lobe.": (
        "Opacity OBS-DP, left ANAT-DP, lower ANAT-DP, lobe ANAT-DP",
        "Opacity located_at lobe, left modify lobe, lower modify lobe",
    ),
    "Opacities in the left lower lobe and lingula are unchanged.": (
        "Opacities OBS-DP, left ANAT-DP, lower ANAT-DP, lobe ANAT-DP, lingula ANAT-DP, unchanged OBS-DP",
        "Opacities located_at lingula, Opacities located_at lobe, left modify lobe, lower modify lobe, "
        "unchanged modify Opacities",
    ),
    "No focal consolidation, pleural effusion or pneumothorax.": (
        "focal OBS-DA, consolidation OBS-DA, pleural ANAT-DP, effusion OBS-DA, pneumothorax OBS-DA",
        "effusion located_at pleural, focal modify consolidation",
    ),
    "No focal area of consolidation.": ("focal OBS-DA, consolidation OBS-DA", "focal modify consolidation"),
    "No pnuemothorax.": ("pnuemothorax OBS-DA", ""),
    "Left-sided effusion.": ("Left-sided ANAT-DP, effusion OBS-DP", "effusion located_at Left-sided"),
    # descriptions of a place
    "Lungs are clear.": ("Lungs ANAT-DP, clear OBS-DP", "clear located_at Lungs"),
    "Lungs are clear and expanded.": (
        "Lungs ANAT-DP, clear OBS-DP, expanded OBS-DP",
        "clear located_at Lungs, expanded located_at Lungs",
    ),
    "Heart size is normal.": (
        "Heart ANAT-DP, size ANAT-DP, normal OBS-DP",
        "normal located_at Heart, size modify Heart",
    ),
    "The heart is normal in size.": (
        "heart ANAT-DP, normal OBS-DP, size ANAT-DP",
        "normal located_at heart, size modify heart",
    ),
    "Heart and mediastinum normal.": (
        "Heart ANAT-DP, mediastinum ANAT-DP, normal OBS-DP",
        "normal located_at Heart, normal located_at mediastinum",
    ),
    "The cardiac silhouette is mildly enlarged.": (
        "cardiac ANAT-DP, silhouette ANAT-DP, mildly OBS-DP, enlarged OBS-DP",
        "enlarged located_at cardiac, mildly modify enlarged, silhouette modify cardiac",
    ),
    "Effusion is small and unchanged.": (
        "Effusion OBS-DP, small OBS-DP, unchanged OBS-DP",
        "small modify Effusion, unchanged modify Effusion",
    ),
    # each word of the phrase is an entity, and only `normal` is related
    "Heart size and mediastinal contours are within normal limits.": (
        "Heart ANAT-DP, size ANAT-DP, mediastinal ANAT-DP, contours ANAT-DP, within OBS-DP, normal OBS-DP, "
        "limits OBS-DP",
        "contours modify mediastinal, normal located_at Heart, normal located_at mediastinal, size modify Heart",
    ),
    "Normal mediastinal and hilar contours and pleural surfaces.": (
        "Normal OBS-DP, mediastinal ANAT-DP, hilar ANAT-DP, contours ANAT-DP, pleural ANAT-DP, surfaces ANAT-DP",
        "Normal located_at hilar, Normal located_at mediastinal, Normal located_at pleural, contours modify hilar, "
        "contours modify mediastinal, surfaces modify pleural",
    ),
    # the published model gives these entities (test of the radgraph package)
    "No evidence of acute cardiopulmonary process. Moderate hiatal hernia.": (
        "acute OBS-DA, cardiopulmonary ANAT-DP, process OBS-DA, Moderate OBS-DP, hiatal ANAT-DP, hernia OBS-DP",
        "Moderate modify hernia, acute modify process, hernia located_at hiatal, process located_at cardiopulmonary",
    ),
    # one observation suggests another
    "Opacity may represent pneumonia.": ("Opacity OBS-DP, pneumonia OBS-U", "Opacity suggestive_of pneumonia"),
}


#: where RadGraph-XL annotates otherwise than the first RadGraph
XL_CASES = {
    # only `normal` of the phrase is an entity, located at the last place named
    "Heart size and mediastinal contours are within normal limits.": (
        "Heart ANAT-DP, size ANAT-DP, mediastinal ANAT-DP, contours ANAT-DP, normal OBS-DP",
        "contours modify mediastinal, normal located_at mediastinal, size modify Heart",
    ),
    "The cardiomediastinal silhouette is within normal limits.": (
        "cardiomediastinal ANAT-DP, silhouette ANAT-DP",
        "silhouette modify cardiomediastinal",
    ),
    # in a whole report, a denial that names no organ is not annotated
    "Lungs are clear. Bones intact. Cardiomegaly. No acute findings.": (
        "Lungs ANAT-DP, clear OBS-DP, Bones ANAT-DP, intact OBS-DP, Cardiomegaly OBS-DP",
        "clear located_at Lungs, intact located_at Bones",
    ),
    "Small pneumothorax. No acute findings.": (
        "Small OBS-DP, pneumothorax OBS-DP, acute OBS-DA, findings OBS-DA",
        "Small modify pneumothorax, acute modify findings",
    ),
    "No acute bony findings.": (
        "acute OBS-DA, bony ANAT-DP, findings OBS-DA",
        "acute modify findings, findings located_at bony",
    ),
    # without a verb, only the organ is annotated
    "Heart size normal.": ("Heart ANAT-DP", ""),
    "Heart size is normal.": (
        "Heart ANAT-DP, size ANAT-DP, normal OBS-DP",
        "normal located_at Heart, size modify Heart",
    ),
    # of attributes apart from their place, the last one is related to it
    "The heart is normal in size and contour.": (
        "heart ANAT-DP, normal OBS-DP, size ANAT-DP, contour ANAT-DP",
        "contour modify heart, normal located_at heart",
    ),
    # what appears so is uncertain
    "The lungs appear clear.": ("lungs ANAT-DP, clear OBS-U", "clear located_at lungs"),
    # how the image was taken is no entity; a measurement is one
    "Frontal and lateral views of the chest show an effusion.": ("effusion OBS-DP", ""),
    "5 mm nodule.": ("5 mm OBS-DP, nodule OBS-DP", "5 mm modify nodule"),
    "No focal areas of consolidation.": (
        "focal areas OBS-DA, consolidation OBS-DA",
        "focal areas modify consolidation",
    ),
    "Degenerative changes of the spine.": ("spine ANAT-DP", ""),
}
#: lists in texts that lost their commas, for every checkpoint
NO_COMMAS = {
    "No focal consolidation pleural effusion or pneumothorax.": (
        "focal OBS-DA, consolidation OBS-DA, pleural ANAT-DP, effusion OBS-DA, pneumothorax OBS-DA",
        "effusion located_at pleural, focal modify consolidation",
    ),
    "No focal consolidation pneumothorax or large pleural effusion.": (
        "focal OBS-DA, consolidation OBS-DA, pneumothorax OBS-DA, large OBS-DA, pleural ANAT-DP, effusion OBS-DA",
        "effusion located_at pleural, focal modify consolidation, large modify effusion",
    ),
}


@pytest.mark.parametrize("text", CASES)
def test_sentence(text):
    assert read(text) == CASES[text]


@pytest.mark.parametrize("text", XL_CASES)
def test_sentence_as_radgraph_xl_reads_it(text):
    assert read(text, "radgraph-xl") == XL_CASES[text]


@pytest.mark.parametrize("like", ["radgraph", "radgraph-xl"])
@pytest.mark.parametrize("text", NO_COMMAS)
def test_list_without_commas(text, like):
    assert read(text, like) == NO_COMMAS[text]


def test_a_report_in_which_radgraph_xl_annotates_nothing_is_read_as_the_first_radgraph_does():
    assert read("Degenerative changes.", "radgraph-xl") == (
        "Degenerative OBS-DP, changes OBS-DP",
        "Degenerative modify changes",
    )


def test_entities_of_all_sentences_with_offsets():
    assert radgraph(parse("Lungs are clear. No effusion.")) == RadGraph(
        "Lungs are clear. No effusion.",
        (
            GraphEntity("Lungs", "ANAT-DP", 0, 5),
            GraphEntity("clear", "OBS-DP", 10, 15),
            GraphEntity("effusion", "OBS-DA", 20, 28),
        ),
        (Relation(1, "located_at", 0),),
    )


def test_sentences_are_not_related():
    graph = radgraph(parse("Small effusion. The heart. Unchanged."))
    places = [entity.start // 16 for entity in graph.entities]
    assert all(places[r.source] == places[r.target] for r in graph.relations)


def test_sections_without_findings_have_no_entities():
    assert radgraph(parse("Indication: left pleural effusion.")) == RadGraph(
        "Indication: left pleural effusion.", (), ()
    )


def test_long_text_without_sentences_is_read_in_linear_time():
    graph = radgraph(parse("heart, lungs, " * 3000 + "clear"))
    assert len(graph.relations) < 3000


@settings(max_examples=150)
@given(st.one_of(REPORTS, st.text(max_size=200)), st.sampled_from(["radgraph", "radgraph-xl"]))
def test_any_text(text, like):
    graph = radgraph(parse(text), like)
    for entity in graph.entities:
        assert entity.label in ("ANAT-DP", "OBS-DP", "OBS-DA", "OBS-U")
        assert entity.tokens == text[entity.start : entity.end] != ""
    assert all(one.end <= other.start for one, other in pairwise(graph.entities))
    assert len(set(graph.relations)) == len(graph.relations)
    for relation in graph.relations:
        assert relation.kind in ("modify", "located_at", "suggestive_of")
        assert relation.source != relation.target
        source, target = graph.entities[relation.source], graph.entities[relation.target]
        kinds = (source.label[:3], target.label[:3])
        allowed = {"modify": {("OBS", "OBS"), ("ANA", "ANA")}, "located_at": {("OBS", "ANA")}}
        assert kinds in allowed.get(relation.kind, {("OBS", "OBS")})
