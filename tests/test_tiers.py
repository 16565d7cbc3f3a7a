"""The tiers of the tests: every room of the package has quick tests, and collecting all tests imports nothing heavy."""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.e2e  # starts a program

HEAVY = {"evaluate", "gradio", "torch", "transformers"}
COLLECT = """
import json, sys
import pytest

class Collected:
    def pytest_collection_finish(self, session):
        self.files = [str(item.path.relative_to(session.config.rootpath)) for item in session.items if self.quick(item)]
    def quick(self, item):
        return not any(item.get_closest_marker(tier) for tier in ("browser", "e2e", "slow", "published", "harness"))

collected = Collected()
status = pytest.main(["--collect-only", "-p", "no:cacheprovider"], [collected])
with open(sys.argv[1], "w") as file:
    json.dump({"status": status, "quick": sorted(set(collected.files)), "modules": sorted(sys.modules)}, file)
"""


@pytest.fixture(scope="module")
def collected(root, tmp_path_factory):
    """All tests, collected by a new process: its exit code, the files with quick tests, and the modules it imported."""
    out = tmp_path_factory.mktemp("collected") / "out.json"
    done = subprocess.run(
        [sys.executable, "-c", COLLECT, str(out)], cwd=root, capture_output=True, text=True, timeout=300
    )
    assert out.exists(), done.stdout[-2000:] + done.stderr[-2000:]
    return json.loads(out.read_text())


def test_every_test_is_collected_without_heavy_imports(collected):
    assert collected["status"] == 0
    assert not HEAVY & set(collected["modules"]), "import it inside a fixture or a test"


def test_every_room_has_quick_tests(collected, root):
    package = root / "src" / "radeval_core"
    rooms = sorted(file.parent.name for file in package.glob("*/__init__.py"))
    assert {"cli", "engine", "findings", "metrics"} <= set(rooms)
    untested = [
        room
        for room in rooms
        if not any(file.startswith((f"tests/{room}/", f"tests/test_{room}")) for file in collected["quick"])
    ]
    assert not untested, f"add tests to tests/{untested[0]}/ that are in the quick tier"
