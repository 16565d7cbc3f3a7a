"""RadGraph archives: all settings are read from them, and every kind of damage is reported."""

import io
import json
import shutil
import tarfile
from pathlib import Path

import pytest

from radeval_core.errors import CheckpointError

FOLDER = Path(__file__).parents[1] / "parity" / "radgraph"
ARCHIVE = "radgraph.tar.gz"
NER = "_ner._ner_scorers.radgraph__ner_labels"
REPORTS = [
    "Small left pleural effusion. No pneumothorax.",
    "FINDINGS: The heart is normal in size. The lungs are clear.\nIMPRESSION: No acute disease.",
    "Large right pleural effusion with compressive atelectasis, 2.5 cm nodule (new).",
]


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global RadGraphAnnotator, read_model, torch
    import torch

    from radeval_core.annotators.radgraph import RadGraphAnnotator
    from radeval_core.annotators.radgraph_archive import read_model


@pytest.fixture(scope="module")
def annotator():
    return RadGraphAnnotator(str(FOLDER), device="cpu", progress=False)


@pytest.fixture(scope="module")
def graphs(annotator):
    return annotator.annotate(REPORTS)


def unpack(archive):
    with tarfile.open(archive) as tar:
        return {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}


def pack(archive, members):
    with tarfile.open(archive, "w:gz", compresslevel=1) as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


@pytest.fixture
def copy(tmp_path):
    """Copy the checkpoint; return a function that changes the files in its archive."""
    folder = tmp_path / "radgraph"
    shutil.copytree(FOLDER, folder)

    def change(edit):
        members = unpack(folder / ARCHIVE)
        edit(members)
        pack(folder / ARCHIVE, members)
        return str(folder)

    return change


def edit_config(path, value):
    """Set a setting by its dotted path, or remove it if the value is None."""

    def edit(members):
        config = json.loads(members["config.json"])
        *way, last = path.split(".")
        place = config
        for key in way:
            place = place[key]
        place.pop(last)
        if value is not None:
            place[last] = value
        members["config.json"] = json.dumps(config).encode()

    return edit


def edit_weights(change):
    def edit(members):
        tensors = torch.load(io.BytesIO(members["weights.th"]), weights_only=True)
        change(tensors)
        buffer = io.BytesIO()
        torch.save(tensors, buffer)
        members["weights.th"] = buffer.getvalue()

    return edit


def edit_file(name, data):
    return lambda members: members.update({name: data}) if data is not None else members.pop(name)


BERT = "model.embedder.token_embedders.bert"
ENCODER = "_embedder.token_embedder_bert._matched_embedder.transformer_model"
DAMAGE = {
    "no config": (edit_file("config.json", None), "has no file 'config.json'"),
    "no weights": (edit_file("weights.th", None), "has no file 'weights.th'"),
    "config cut": (edit_file("config.json", b'{"model": '), "config.json is damaged"),
    "weights cut": (lambda m: m.update({"weights.th": m["weights.th"][:5000]}), "weights.th is damaged"),
    "weights without tensors": (edit_weights(lambda t: t.clear()), "weights.th lacks"),
    "no entity labels": (
        edit_file("vocabulary/radgraph__ner_labels.txt", None),
        r"must have one file vocabulary/\*__ner_labels.txt, but it has: none",
    ),
    "no relation labels": (
        edit_file("vocabulary/radgraph__relation_labels.txt", None),
        r"must have one file vocabulary/\*__relation_labels.txt, but it has: none",
    ),
    "two sets of labels": (
        edit_file("vocabulary/other__ner_labels.txt", b"\nA\n"),
        "but it has: other__ner_labels.txt, radgraph__ner_labels.txt",
    ),
    "a label too many": (
        edit_file("vocabulary/radgraph__ner_labels.txt", b"\nA\nB\nC\nD\nE\n"),
        rf"'{NER}.1._module.weight' scores 4 labels, but vocabulary/radgraph__ner_labels.txt has 5",
    ),
    "a relation too few": (
        edit_file("vocabulary/radgraph__relation_labels.txt", b"modify\nlocated_at\n"),
        r"scores 3 labels, but vocabulary/radgraph__relation_labels.txt has 2",
    ),
    "no empty label": (
        edit_file("vocabulary/radgraph__ner_labels.txt", b"A\nB\nC\nD\n"),
        "vocabulary/radgraph__ner_labels.txt must begin with an empty line",
    ),
    "a label twice": (
        edit_file("vocabulary/radgraph__ner_labels.txt", b"\nA\nA\n"),
        "ner_labels.txt contains a label twice",
    ),
    "no encoder named": (edit_config(f"{BERT}.model_name", None), f"config.json lacks '{BERT}.model_name'"),
    "an encoder elsewhere": (
        edit_config(f"{BERT}.model_name", "../x"),
        "must be the Hub name of an encoder, got '../x'",
    ),
    "another embedder": (edit_config(f"{BERT}.type", "bag_of_words"), f"'{BERT}.type' is 'bag_of_words': only"),
    "widths that the weights cannot hold": (
        edit_config("model.feature_size", 60_000),
        r"weights.th has [\d,]+ numbers, but the archive's config.json claims [\d,]+: it was not loaded",
    ),
    "no span width": (edit_config("model.max_span_width", None), "config.json lacks 'model.max_span_width'"),
    "no relation module": (edit_config("model.modules.relation", None), "config.json lacks 'model.modules.relation'"),
    "spans per word of text": (
        edit_config("model.modules.relation.spans_per_word", "half"),
        "'model.modules.relation.spans_per_word' must be a number above 0, got 'half'",
    ),
    "another span width": (
        edit_config("model.max_span_width", 9),
        r"'_endpoint_span_extractor._span_width_embedding.weight' must have shape \[9, 20\], got \[8, 20\]",
    ),
    "no hidden widths": (
        edit_config("model.feedforward_params.hidden_dims", None),
        "config.json lacks 'model.feedforward_params.hidden_dims'",
    ),
    "a tensor missing": (
        edit_weights(lambda t: t.pop(f"{NER}.0._module._linear_layers.1.bias")),
        f"weights.th lacks 1 tensor, the first is '{NER}.0._module._linear_layers.1.bias'",
    ),
    "a tensor of the encoder missing": (
        edit_weights(lambda t: t.pop(f"{ENCODER}.embeddings.LayerNorm.weight")),
        f"weights.th lacks 1 tensor, the first is '{ENCODER}.embeddings.LayerNorm.weight'",
    ),
    "a tensor too many": (
        edit_weights(lambda t: t.update({"_attentive_span_extractor.weight": torch.zeros(2)})),
        "weights.th has 1 extra tensor, the first is '_attentive_span_extractor.weight'",
    ),
    "a wrong shape": (
        edit_weights(lambda t: t.update({f"{NER}.0._module._linear_layers.0.bias": torch.zeros(2)})),
        rf"'{NER}.0._module._linear_layers.0.bias' must have shape \[\d+\], got \[2\]",
    ),
}


@pytest.mark.parametrize(("edit", "message"), DAMAGE.values(), ids=list(DAMAGE))
def test_damage_is_reported_with_its_file(copy, edit, message):
    with pytest.raises(CheckpointError, match=message) as error:
        RadGraphAnnotator(copy(edit), progress=False)
    assert ARCHIVE in str(error.value) and "\n" not in str(error.value)


def test_a_truncated_archive(copy):
    folder = Path(copy(lambda members: None))
    (folder / ARCHIVE).write_bytes((folder / ARCHIVE).read_bytes()[:20_000])
    with pytest.raises(CheckpointError, match=rf"{ARCHIVE} is damaged"):
        RadGraphAnnotator(str(folder))


def test_a_folder_without_archive_or_with_several(copy, tmp_path):
    with pytest.raises(CheckpointError, match=r"must have one archive \*.tar.gz, but it has none"):
        RadGraphAnnotator(str(tmp_path))
    folder = Path(copy(lambda members: None)).rename(tmp_path / "mine")
    shutil.copy(folder / ARCHIVE, folder / "other.tar.gz")
    with pytest.raises(CheckpointError, match=r"2 of them: other.tar.gz, radgraph.tar.gz"):
        RadGraphAnnotator(str(folder))


def test_an_encoder_that_cannot_be_downloaded(copy):
    folder = Path(copy(lambda members: None))
    shutil.rmtree(folder / "hub")
    with pytest.raises(CheckpointError, match=r"'microsoft/.+': it is not in '.+hub/.+', not in the local Hub cache"):
        RadGraphAnnotator(str(folder))


def test_no_file_of_an_archive_is_written_to_disk(copy, graphs, tmp_path):
    """Members with a path outside the archive are ignored."""

    def edit(members):
        members["../../escaped.txt"] = b"x"
        members["../config.json"] = b"{}"

    folder = copy(edit)
    before = sorted(tmp_path.parent.rglob("*"))
    assert RadGraphAnnotator(folder, progress=False).annotate(REPORTS) == graphs
    assert sorted(tmp_path.parent.rglob("*")) == before

    def only_outside(members):
        members["../weights.th"] = members.pop("weights.th")

    with pytest.raises(CheckpointError, match=r"has no file 'weights.th'"):
        RadGraphAnnotator(copy(only_outside))


def test_a_top_folder_and_unused_tensors_do_not_matter(copy, graphs):
    def edit(members):
        edit_weights(
            lambda t: t.update(
                {
                    "_coref.more": torch.zeros(1),
                    "_events.more": torch.zeros(1),
                    f"{ENCODER}.embeddings.position_ids": torch.arange(512)[None],
                    f"{ENCODER}.pooler.more": torch.zeros(1),
                }
            )
        )(members)
        for name in list(members):
            members[f"model/{name}"] = members.pop(name)

    assert RadGraphAnnotator(copy(edit), progress=False).annotate(REPORTS) == graphs


def test_everything_is_read_from_the_archive(copy, annotator):
    """With other labels, another window or another share of spans, the same weights return another graph."""

    def rename(members):
        labels = b"\nfirst\nsecond\nthird\nfourth"
        members["vocabulary/radgraph__ner_labels.txt"] = labels

    (graph,) = RadGraphAnnotator(copy(rename), progress=False).annotate(REPORTS[1:2])
    (usual,) = annotator.annotate(REPORTS[1:2])
    names = dict(zip(annotator.config.ner_labels, ("first", "second", "third", "fourth"), strict=True))
    assert [e.label for e in graph.entities] == [names[e.label] for e in usual.entities]
    short = RadGraphAnnotator(copy(edit_config(f"{BERT}.max_length", 12)), progress=False)
    assert short.windows("effusion " * 20) == 2
    few = copy(edit_config("model.modules.relation.spans_per_word", 0.01))
    assert not any(r.source != r.target for r in RadGraphAnnotator(few).annotate(REPORTS[1:2])[0].relations)
    unlimited = RadGraphAnnotator(copy(edit_config(f"{BERT}.max_length", None)), progress=False)
    assert unlimited.windows("effusion " * 511) == 2, "without max_length, the encoder's own limit"


def test_word_rules_depend_on_the_label_files_then_on_the_archive(copy):
    def named(kind):
        def edit(members):
            for name in [n for n in members if "__" in n]:
                members[name.replace("radgraph__", f"{kind}__")] = members.pop(name)
            edit_weights(lambda t: [t.update({n.replace("radgraph__", f"{kind}__"): t.pop(n)}) for n in list(t)])(
                members
            )

        return edit

    assert RadGraphAnnotator(copy(named("None"))).words("left-sided") == ["left-sided"]
    folder = Path(copy(lambda members: None))
    (folder / ARCHIVE).rename(folder / "mine.tar.gz")
    assert RadGraphAnnotator(str(folder)).words("left-sided") == ["left", "-", "sided"]
    shutil.copy(FOLDER / ARCHIVE, folder / ARCHIVE)
    (folder / "mine.tar.gz").unlink()
    assert RadGraphAnnotator(copy(named("echograph"))).words("left-sided") == ["left", "-", "sided"]


def test_identity_follows_the_files(copy, annotator):
    assert annotator.model_name.startswith("radgraph@") and annotator.model_name in annotator.identity
    changed = RadGraphAnnotator(copy(edit_config("model.modules.relation.spans_per_word", 0.4)))
    assert changed.model_name != annotator.model_name
    folder = Path(copy(lambda members: None))
    (tokenizer,) = folder.glob("hub/*/*/tokenizer_config.json")
    tokenizer.write_text(tokenizer.read_text("utf-8") + "\n", "utf-8")
    assert RadGraphAnnotator(str(folder)).encoder_name != annotator.encoder_name


def test_an_encoder_of_another_architecture(tmp_path):
    """ModernBERT instead of BERT: the same nets on another encoder."""
    from transformers import ModernBertConfig, ModernBertModel

    config, tensors = read_model(FOLDER / ARCHIVE)
    hub = tmp_path / "hub" / config.encoder
    shutil.copytree(FOLDER / "hub" / config.encoder, hub)
    size = tensors[f"{ENCODER}.embeddings.LayerNorm.weight"].shape[0]
    torch.manual_seed(0)
    settings = ModernBertConfig(
        vocab_size=tensors[f"{ENCODER}.embeddings.word_embeddings.weight"].shape[0], hidden_size=size,
        intermediate_size=2 * size, num_hidden_layers=2, num_attention_heads=2, pad_token_id=0,
        bos_token_id=2, cls_token_id=2, eos_token_id=3, sep_token_id=3,
    )  # fmt: skip
    settings.save_pretrained(hub)
    encoder = ModernBertModel(settings)
    nets = {name: tensor for name, tensor in tensors.items() if not name.startswith("_embedder.")}
    members = unpack(FOLDER / ARCHIVE)
    edit_weights(
        lambda t: (t.clear(), t.update(nets), t.update({f"{ENCODER}.{n}": w for n, w in encoder.state_dict().items()}))
    )(members)
    pack(tmp_path / "modern-radgraph-xl.tar.gz", members)
    modern = RadGraphAnnotator(str(tmp_path), progress=False)
    ids = torch.arange(5, 25)[None]
    with torch.inference_mode():
        ours, theirs = (m.eval()(input_ids=ids).last_hidden_state for m in (modern.model.encoder, encoder))
    torch.testing.assert_close(ours, theirs)
    together = modern.annotate(REPORTS)
    assert together == [modern.annotate([text])[0] for text in REPORTS]
    assert any(graph.entities for graph in together)
