"""Each paper is cited in one way: in its metric's declaration, on its card, and wherever it is cited again."""

import re
from pathlib import Path

import pytest
import yaml

from radeval_core import __version__
from radeval_core.registry import get_spec, metric_names

ROOT = Path(__file__).resolve().parents[2]


def entries(bibtex):
    """Return each BibTeX entry by its key, with every run of spaces as one and without the backslashes of accents."""
    found = re.findall(r"@\w+\{([^,]+),(.*?)\n\}", bibtex.replace("\\", ""), flags=re.DOTALL)
    return {key: " ".join(body.split()) for key, body in found}


def card_citation(name):
    card = (ROOT / "metrics" / name / "README.md").read_text("utf-8")
    return re.search(r"## Citation\n\n```bibtex\n(.*?)```", card, flags=re.DOTALL).group(1)


@pytest.mark.parametrize("name", metric_names())
def test_the_card_cites_what_the_metric_declares(name):
    assert entries(get_spec(name).citation)
    assert entries(card_citation(name)) == entries(get_spec(name).citation)


@pytest.mark.parametrize("name", metric_names())
def test_every_author_is_named(name):
    assert "and others" not in get_spec(name).citation


def test_two_metrics_cite_the_same_paper_alike():
    seen = {}
    for name in metric_names():
        for key, body in entries(get_spec(name).citation).items():
            assert seen.setdefault(key, body) == body, f"{name} cites {key} in another way"


def test_the_citation_file_names_title_authors_and_this_version():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert cited["cff-version"] == "1.2.0" and cited["type"] == "software"
    assert {"message", "title", "authors", "license", "abstract"} <= set(cited)
    assert cited["authors"] == [{"name": "The radeval authors"}]
    assert cited["version"] == __version__ and cited["license"] == "Apache-2.0"
