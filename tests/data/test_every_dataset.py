"""Checks of every dataset: card, features, identical bytes on rebuild, and loading with `datasets`."""

import re

import pytest
from datasets import Features, load_dataset
from invented_sources import SOURCES

from radeval_core.data.bench_rows import read_built
from radeval_core.data.build import build
from radeval_core.data.cards import card_path, check_card, front_matter
from radeval_core.data.catalogue import dataset_names, get_dataset
from radeval_core.data.dataset import read_manifest

CATEGORIES = {
    "false_finding",
    "missing_finding",
    "wrong_location",
    "wrong_severity",
    "false_comparison",
    "omitted_comparison",
}
KINDS = {
    "rated": {"id", "study", "prediction", "reference", "expert"},
    "triads": {"id", "original", "synonym", "opposite"},
    "corrections": {"id", "study", "prediction", "reference", "lines"},
    "entities": {"id", "tokens", "tags"},
}
#: radcheck is generated whole: that takes seconds
TO_BUILD = [pytest.param(name, marks=[pytest.mark.slow] if name == "radcheck" else []) for name in dataset_names()]
CONFIGS = [(name, config) for name in dataset_names() for config in get_dataset(name).configs]


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """Return a function that builds a dataset once from its invented source and returns source and folder."""
    folders = {}

    def folder_of(name):
        if name not in folders:
            source = SOURCES[name](tmp_path_factory.mktemp(f"{name}_source"))
            folders[name] = source, tmp_path_factory.mktemp(f"{name}_built")
            build(name, source, folders[name][1])
        return folders[name]

    return folder_of


def test_every_dataset_has_an_invented_source_and_a_card(root):
    assert set(SOURCES) == set(dataset_names())
    assert {folder.name for folder in (root / "datasets_cards").iterdir()} == set(dataset_names())


@pytest.mark.parametrize("name", dataset_names())
def test_the_card_is_complete(name):
    card = card_path(name).read_text(encoding="utf-8")
    check_card(get_dataset(name), card)
    matter, text = front_matter(card)
    assert matter["license"] and matter["pretty_name"] and matter["language"] and matter["configs"]
    for heading in ("How to get ", "How it was made", "What it must not be used for", "Citation"):
        assert re.search(rf"^## {heading}", text, re.MULTILINE), heading
    assert f"radeval data build {name} " in text


@pytest.mark.parametrize("name", dataset_names())
def test_the_declaration_is_complete(name):
    dataset = get_dataset(name)
    assert dataset.name == name and dataset.about and dataset.terms and dataset.configs
    assert bool(dataset.source) != bool(dataset.generate), "a dataset is either read or generated"
    assert all(part.kind in KINDS for part in dataset.configs.values())
    if any(part.bench for part in dataset.configs.values()):
        config, split = dataset.default_bench
        assert dataset.configs[config].bench and split in dataset.configs[config].splits
    closed = re.search(r"credential|physionet|-nd", dataset.terms, re.IGNORECASE)
    assert not (closed and dataset.publishable), "these terms forbid sharing it"


@pytest.mark.parametrize("name", TO_BUILD)
def test_a_second_build_gives_the_same_bytes(name, built, tmp_path):
    source, folder = built(name)
    build(name, source, tmp_path / "again")
    files = sorted(file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
    assert files == sorted(file.relative_to(tmp_path / "again") for file in tmp_path.rglob("*") if file.is_file())
    assert len(files) == 2 + sum(len(part.splits) for part in get_dataset(name).configs.values())
    for file in files:
        assert (folder / file).read_bytes() == (tmp_path / "again" / file).read_bytes(), file


@pytest.mark.parametrize(("name", "config"), CONFIGS)
def test_datasets_opens_it_with_the_declared_features(name, config, built, tmp_path):
    _, folder = built(name)
    part = get_dataset(name).configs[config]
    opened = load_dataset(str(folder), config, cache_dir=str(tmp_path))
    assert tuple(opened) == part.splits
    assert {split: len(rows) for split, rows in opened.items()} == read_manifest(folder)["rows"][config]
    assert any(len(rows) for rows in opened.values())
    for rows in opened.values():
        assert rows.features == Features.from_arrow_schema(part.schema)


@pytest.mark.parametrize(("name", "config"), CONFIGS)
def test_bench_rows_have_the_agreed_form(name, config, built):
    _, folder = built(name)
    part = get_dataset(name).configs[config]
    if part.bench is None:
        return
    for split in part.splits:
        read = read_built(folder, config, split)
        assert read.kind == part.kind
        assert read.provenance == {
            "dataset": name,
            "revision": read_manifest(folder)["revision"],
            "config": config,
            "split": split,
        }
        assert len({row["id"] for row in read.rows}) == len(read.rows)
        for row in read.rows:
            assert KINDS[part.kind] <= row.keys()
            assert set(row.get("expert", {}).get("categories", {})) <= CATEGORIES
