"""Publishing: the files of a Space, refused input, and a round trip through a Hub server."""

import json
import os
import re
import runpy
import subprocess
import sys

import numpy as np
import pytest
from packaging.requirements import Requirement

from hub_server import HubServer
from radeval_core import __version__, load
from radeval_core.cli import main
from radeval_core.errors import InputError, RadevalError
from radeval_core.hub.publish import assemble, upload
from radeval_core.registry import get_spec, metric_names

CARD = {
    "title": "BLEU",
    "sdk": "gradio",
    "sdk_version": "6.31.0",
    "app_file": "app.py",
    "tags": "[evaluate, metric, radiology]",
}
PREDICTIONS = ["No pleural effusion. Heart size is normal.", "Large left pneumothorax.", ""]
REFERENCES = ["The heart is normal in size. No pleural effusion.", "Large right pneumothorax.", "Clear lungs."]


def card_text(**changes):
    fields = {key: value for key, value in {**CARD, **changes}.items() if value is not None}
    return "---\n" + "".join(f"{key}: {value}\n" for key, value in fields.items()) + "---\n# BLEU\n"


@pytest.fixture
def checkout(tmp_path):
    """Return a checkout with one small metric, which the tests may damage."""
    root = tmp_path / "checkout"
    files = {
        "metrics/bleu/bleu.py": "# the module\n",
        "metrics/bleu/README.md": card_text(),
        "metrics/bleu/requirements.txt": f"radeval_core[models]>={__version__}\n",
        "spaces/bleu/space.yaml": "title: BLEU\nhow: It is read like this.\n",
    }
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def core_requirement(path):
    (line,) = [line for line in path.read_text().splitlines() if line.startswith("radeval_core")]
    return Requirement(line)


# the files of a Space


@pytest.mark.parametrize("name", metric_names())
def test_the_space_of_a_metric_is_its_module_card_app_and_requirements(name, root, tmp_path):
    space = assemble(name, root, tmp_path / name)
    assert sorted(f.name for f in space.iterdir()) == sorted([f"{name}.py", "README.md", "app.py", "requirements.txt"])
    assert (space / f"{name}.py").read_bytes() == (root / "metrics" / name / f"{name}.py").read_bytes()
    assert (space / "README.md").read_bytes() == (root / "metrics" / name / "README.md").read_bytes()


@pytest.mark.parametrize("name", metric_names())
def test_the_app_of_a_metrics_space_builds_its_demo(name, root, tmp_path):
    app = runpy.run_path(str(assemble(name, root, tmp_path / name) / "app.py"))
    assert app["demo"].title == f"radeval: {name}"


@pytest.mark.parametrize("name", ["workbench", "file_page", "leaderboard", "reading_room"])
def test_the_space_of_a_page_is_its_card_app_and_requirements(name, root, tmp_path):
    space = assemble(name, root, tmp_path / name)
    assert sorted(f.name for f in space.iterdir()) == ["README.md", "app.py", "requirements.txt"]
    assert str(core_requirement(space / "requirements.txt").specifier) == f"=={__version__}"
    assert "spaces" in core_requirement(space / "requirements.txt").extras


@pytest.mark.parametrize("name", metric_names())
def test_a_space_pins_the_core_and_adds_what_the_demo_needs(name, root, tmp_path):
    wanted = core_requirement(root / "metrics" / name / "requirements.txt")
    pinned = core_requirement(assemble(name, root, tmp_path / name) / "requirements.txt")
    assert str(pinned.specifier) == f"=={__version__}"
    assert pinned.extras == wanted.extras | {"spaces"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("radeval_core", f"radeval_core[spaces]=={__version__}\n"),
        ("radeval_core[models]>=0.1.0\n", f"radeval_core[models,spaces]=={__version__}\n"),
        ("radeval_core[spaces,models,judges]", f"radeval_core[judges,models,spaces]=={__version__}\n"),
        ("radeval-core>=0.1 # why", f"radeval-core[spaces]=={__version__}\n"),
        ("# note\nfoo>=2  # kept\nradeval_core\n", f"# note\nfoo>=2  # kept\nradeval_core[spaces]=={__version__}\n"),
    ],
)
def test_requirements_are_pinned_line_by_line(given, expected, checkout, tmp_path):
    (checkout / "metrics/bleu/requirements.txt").write_text(given)
    assert (assemble("bleu", checkout, tmp_path / "out") / "requirements.txt").read_text() == expected


# refused input


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("numpy\n", "no line names radeval_core"),
        ("radeval_core\n-r other.txt\n", "line 2: expected a requirement like"),
        ("radeval_core>=99", f"does not allow this version of the core, {__version__}"),
    ],
)
def test_requirements_that_cannot_be_published(given, message, checkout, tmp_path):
    (checkout / "metrics/bleu/requirements.txt").write_text(given)
    with pytest.raises(InputError, match=r"requirements\.txt: .*" + message):
        assemble("bleu", checkout, tmp_path / "out")


@pytest.mark.parametrize(
    ("card", "message"),
    [
        (card_text(title=None), "field 'title' is missing"),
        (card_text(title='" "'), "field 'title' must be some text"),
        (card_text(sdk="streamlit"), "field 'sdk' must be gradio, got 'streamlit'"),
        (card_text(sdk_version=None), "field 'sdk_version' is missing"),
        (card_text(sdk_version="6.30"), r"field 'sdk_version' must be a version as text, .* got 6\.3"),
        (card_text(sdk_version="newest"), "field 'sdk_version' must be a version"),
        (card_text(app_file="main.py"), r"field 'app_file' must be app\.py"),
        (card_text(tags="[metric]"), "field 'tags' must be a list with evaluate and metric"),
        (card_text(tags="evaluate metric"), "field 'tags' must be a list"),
        (card_text(title='"open'), "the YAML at the top cannot be read"),
        ("---\n- a list\n---\n", "must be fields"),
        ("# no front matter\n", "must start with a YAML block"),
        ("---\ntitle: never closed\n", "must start with a YAML block"),
        ("", "must start with a YAML block"),
    ],
)
def test_a_card_the_hub_would_reject_is_refused_with_file_and_field(card, message, checkout, tmp_path):
    (checkout / "metrics/bleu/README.md").write_text(card)
    with pytest.raises(InputError, match=r"README\.md: .*" + message):
        assemble("bleu", checkout, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("path", ["metrics/bleu/bleu.py", "metrics/bleu/README.md", "metrics/bleu/requirements.txt"])
def test_a_missing_file_is_named(path, checkout, tmp_path):
    (checkout / path).unlink()
    with pytest.raises(InputError, match=f"{path} is missing: a metric cannot be published without it"):
        assemble("bleu", checkout, tmp_path / "out")


def test_outside_a_checkout_it_says_where_to_run_it(tmp_path):
    with pytest.raises(InputError, match="is not a checkout of radeval; run it from one, or pass --root DIR"):
        assemble("bleu", tmp_path, tmp_path / "out")


def test_a_folder_with_other_files_is_left_alone(checkout, tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match=r"do not belong to the Space: .*thesis\.txt"):
        assemble("bleu", checkout, tmp_path)
    assert not (tmp_path / "app.py").exists()


def test_a_folder_written_before_is_written_again(checkout, tmp_path):
    assemble("bleu", checkout, tmp_path / "out")
    (checkout / "metrics/bleu/bleu.py").write_text("# newer\n")
    assert (assemble("bleu", checkout, tmp_path / "out") / "bleu.py").read_text() == "# newer\n"


def test_a_file_instead_of_the_folder_is_an_input_error(checkout, tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(InputError, match="cannot write the Space to"):
        assemble("bleu", checkout, tmp_path / "out")


def test_an_invalid_organisation_is_refused_before_anything_is_sent(checkout, tmp_path):
    with pytest.raises(InputError, match="'not an org' is not a valid name of a user or organisation"):
        upload(assemble("bleu", checkout, tmp_path / "bleu"), "not an org")


# the command


def run_main(capsys, *args):
    org = [] if "--org" in args else ["--org", "my-org"]
    code = main(["hub", "publish", *map(str, args), *org])
    return code, capsys.readouterr()


def test_dry_run_prints_folders_and_uploads_nothing(capsys, root, tmp_path):
    code, printed = run_main(capsys, "all", "--root", root, "--dry-run", tmp_path, "--json")
    assert code == 0
    names = [*metric_names(), "file_page", "leaderboard", "reading_room", "workbench"]
    assert [row["space"] for row in json.loads(printed.out)] == names
    assert sorted(f.name for f in tmp_path.iterdir()) == sorted(names)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["nosuch"], "unknown Space 'nosuch'"),
        (["bleau"], "did you mean 'bleu'?"),
        (["bleu", "--root", "/nonexistent"], "pass --root DIR"),
        (["bleu", "--org", "not an org"], "is not a valid name of a user or organisation"),
    ],
)
def test_bad_input_gives_exit_code_2_and_one_line(args, message, capsys, monkeypatch, checkout):
    monkeypatch.chdir(checkout)
    code, printed = run_main(capsys, *args)
    assert code == 2
    assert printed.err.count("\n") == 1 and message in printed.err
    assert printed.out == ""


def test_the_organisation_must_be_given(capsys, checkout, tmp_path):
    """Without it, a Space was published under an organisation that belongs to someone."""
    for more in ([], ["--dry-run", str(tmp_path / "out")]):
        assert main(["hub", "publish", "bleu", "--root", str(checkout), *more]) == 2
        assert "add --org NAME" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", [*metric_names(), "file_page", "leaderboard", "reading_room", "workbench"])
def test_every_file_names_the_organisation(name, root, tmp_path):
    space = assemble(name, root, tmp_path / name, "my-org")
    texts = {file.name: file.read_text() for file in space.iterdir()}
    for file, text in texts.items():
        assert not re.search(r"(?<![/\w])radeval/[a-z]", text.replace("share/radeval/", "")), file
    if name in metric_names():
        assert f'evaluate.load("my-org/{name}"' in texts[f"{name}.py"] + texts["README.md"]


def test_a_path_with_the_same_words_stays(root, tmp_path):
    text = (assemble("leaderboard", root, tmp_path / "leaderboard", "my-org") / "README.md").read_text()
    assert "~/.local/share/radeval/leaderboard" in text


def test_an_invalid_organisation_is_not_written_into_cards(checkout, tmp_path):
    with pytest.raises(InputError, match="not a valid name of a user"):
        assemble("bleu", checkout, tmp_path / "out", "a/../b")
    assert not (tmp_path / "out").exists()


def test_a_page_names_the_organisation_of_its_space(monkeypatch):
    from radeval_core.ui.pair import python_line

    monkeypatch.setenv("SPACE_ID", "my-org/bleu")
    assert 'evaluate.load("my-org/bleu")' in python_line(get_spec("bleu"), "a", "b")
    monkeypatch.delenv("SPACE_ID")
    assert 'evaluate.load("radeval/bleu")' in python_line(get_spec("bleu"), "a", "b")


@pytest.mark.parametrize(
    ("file", "message"),
    [("core.whl", "not the name of a wheel"), ("radeval_core-9.9.9-py3-none-any.whl", "expected radeval_core"),
     (f"other-{__version__}-py3-none-any.whl", "expected"), ("missing-1-py3-none-any.whl", "cannot be read")],
)  # fmt: skip
def test_a_wrong_wheel_is_refused(file, message, checkout, tmp_path):
    if "missing" not in file:
        (tmp_path / file).write_bytes(b"PK")
    with pytest.raises(InputError, match=message):
        assemble("bleu", checkout, tmp_path / "out", "my-org", tmp_path / file)
    assert not (tmp_path / "out").exists()


# a round trip through the Hub


def environment(home, root, **settings):
    """Return the environment of a fresh process: only the given Hugging Face variables, and a new home folder."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("HF_", "HUGGING"))}
    quiet = {"HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_XET": "1", "HF_UPDATE_DOWNLOAD_COUNTS": "0"}
    return {**kept, **quiet, "HF_HOME": str(home), "PYTHONPATH": str(root / "src"), **settings}


def publish(root, home, *args, **settings):
    return subprocess.run(
        [sys.executable, "-m", "radeval_core.cli", "hub", "publish", *args, "--root", str(root),
         *([] if "--org" in args else ["--org", "radeval"])],
        env=environment(home, root, **settings), cwd=home, capture_output=True, text=True, timeout=120,
    )  # fmt: skip


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    with HubServer(tmp_path_factory.mktemp("hub"), tokens={"hf_good": {"radeval"}}) as server:
        yield server


@pytest.fixture(scope="module")
def published(hub, root, tmp_path_factory):
    """Publish every metric with one command."""
    done = publish(root, tmp_path_factory.mktemp("home"), "all", "--json", HF_ENDPOINT=hub.url, HF_TOKEN="hf_good")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.e2e
def test_publishing_prints_the_address_of_each_space(published, hub):
    assert {row["space"]: row["url"] for row in published} == {
        name: f"{hub.url}/spaces/radeval/{name}"
        for name in [*metric_names(), "file_page", "leaderboard", "reading_room", "workbench"]
    }


@pytest.mark.e2e
@pytest.mark.parametrize("name", metric_names())
def test_the_hub_got_the_files_of_the_space_in_one_commit(name, published, hub, root, tmp_path):
    assert 200 in hub.saw("POST", "/api/repos/create")
    assert hub.saw("POST", f"/api/spaces/radeval/{name}/preupload/main") == [200]
    assert hub.saw("POST", f"/api/spaces/radeval/{name}/commit/main") == [200]
    assert [c["summary"] for c in hub.commits[f"radeval/{name}"]] == [f"Publish {name} with radeval_core {__version__}"]
    expected = {f.name: f.read_bytes() for f in assemble(name, root, tmp_path / name).iterdir()}
    assert {f.name: f.read_bytes() for f in hub.space("radeval", name).iterdir()} == expected


LOAD = """
import json, os, sys
import evaluate
assert not os.listdir(".")
names, predictions, references = json.loads(sys.stdin.read())
loaded = {name: evaluate.load(f"radeval/{name}") for name in names}
json.dump({n: m.compute(predictions=predictions, references=references) for n, m in loaded.items()}, sys.stdout)
"""


@pytest.fixture(scope="module")
def loaded(published, hub, root, tmp_path_factory):
    """Return the scores of a user who has only the package and `evaluate.load("radeval/<name>")`."""
    done = subprocess.run(
        [sys.executable, "-c", LOAD],
        input=json.dumps([metric_names(), PREDICTIONS, REFERENCES]),
        env=environment(tmp_path_factory.mktemp("other-home"), root, HF_ENDPOINT=hub.url),
        cwd=tmp_path_factory.mktemp("empty"), capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.e2e
@pytest.mark.parametrize("name", metric_names())
def test_a_published_metric_gives_the_scores_of_the_core(name, loaded):
    np.testing.assert_equal(loaded[name], load(name).compute(PREDICTIONS, REFERENCES))


@pytest.mark.e2e
@pytest.mark.parametrize("name", metric_names())
def test_evaluate_asked_for_its_own_version_first_and_then_for_main(name, loaded, hub):
    asked = [(path.split("/resolve/")[1], status) for _, path, status in hub.calls
             if path.startswith(f"/spaces/radeval/{name}/resolve/")]  # fmt: skip
    assert asked[0][0].startswith("v0.") and asked[0][1] == 404
    assert (f"main/{name}.py", 200) in asked


@pytest.mark.e2e
def test_publishing_the_same_again_succeeds_without_a_commit(published, hub, root, tmp_path):
    done = publish(root, tmp_path, "bleu", "-q", HF_ENDPOINT=hub.url, HF_TOKEN="hf_good")
    assert (done.returncode, done.stdout) == (0, f"bleu: {hub.url}/spaces/radeval/bleu\n")
    assert len(hub.commits["radeval/bleu"]) == 1


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("org", "token", "says"),
    [
        ("radeval", "hf_bad", "does not accept your token; type: hf auth login"),
        ("radeval", "", "you are not logged in to the Hub; type: hf auth login"),
        ("elsewhere", "hf_good", "may not write to 'elsewhere'; type: hf auth login"),
    ],
)
def test_without_the_right_token_one_line_says_what_to_type(org, token, says, hub, root, tmp_path):
    done = publish(root, tmp_path, "bleu", "--org", org, HF_ENDPOINT=hub.url, HF_TOKEN=token)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and says in done.stderr
    assert done.stdout == ""


@pytest.mark.e2e
def test_an_unreachable_hub_gives_one_line(root, tmp_path):
    with HubServer(tmp_path / "hub", tokens={}) as gone:
        address = gone.url
    done = publish(root, tmp_path, "bleu", HF_ENDPOINT=address, HF_TOKEN="hf_good")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "the Hub cannot be reached" in done.stderr


def test_hub_errors_are_errors_of_this_package(checkout, monkeypatch, tmp_path):
    monkeypatch.setenv("HF_TOKEN", "hf_any")  # the tests run with HF_HUB_OFFLINE=1
    with pytest.raises(RadevalError, match="the Hub cannot be reached"):
        upload(assemble("bleu", checkout, tmp_path / "bleu"), "radeval")
