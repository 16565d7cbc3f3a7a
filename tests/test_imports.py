"""Imports point one way: a room imports only rooms below it. Imports inside functions count too."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "radeval_core"
#: the layers, lowest first; a room may import rooms of lower layers, not of the same layer
FLOORS = (
    ("errors", "error_categories", "secret_hash", "__version__"),
    ("user_yaml", "patient_context"),
    ("pairs", "engine", "stats", "findings", "html_text", "web", "page_style"),
    ("functional", "io", "corrections", "signature", "pictures"),
    ("annotators", "judges"),
    ("metrics",),
    ("registry", "runner"),
    ("metric_help", "spool", "shown_values", "score_scale", "joint_run"),
    ("presets",),
    ("api",),
    ("evaluate_module", "data", "adapters", "client", "cluster"),
    ("bench", "hub", "rewards"),
    ("leaderboard", "fit", "reading", "train"),
    ("ui", "serve"),
    ("cli", "__init__"),
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
MODULES = sorted(SOURCE.rglob("*.py"))
#: packages that rooms of plain functions and rules must not import
HEAVY = {"torch", "transformers", "gradio", "evaluate", "datasets", "huggingface_hub", "sentence_transformers"}


def room_of(path):
    parts = path.relative_to(SOURCE).parts
    return parts[0] if len(parts) > 1 else path.stem


def imported(path):
    """Return the full names of all modules a file imports, at its top or inside a function."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            if node.module == "radeval_core":
                yield from (f"radeval_core.{alias.name}" for alias in node.names)
            else:
                yield node.module


def rooms_imported(path):
    for name in imported(path):
        parts = name.split(".")
        if parts[0] == "radeval_core":
            yield parts[1] if len(parts) > 1 else "__version__"


def test_every_room_is_in_a_layer():
    assert {room_of(path) for path in MODULES} <= set(FLOOR)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_room_imports_only_rooms_below_it(path):
    room = room_of(path)
    wrong = [other for other in rooms_imported(path) if other != room and FLOOR[other] >= FLOOR[room]]
    assert not wrong, f"{path.relative_to(SOURCE)} in room {room} must not import {wrong}"


@pytest.mark.parametrize("room", ["findings", "functional", "stats", "corrections", "pairs", "errors"])
def test_rooms_of_rules_and_arithmetic_import_no_model_library(room):
    files = [path for path in MODULES if room_of(path) == room]
    found = {name.split(".")[0] for path in files for name in imported(path)} & HEAVY
    assert files and not found


def test_the_engine_imports_no_radiology():
    files = [path for path in MODULES if room_of(path) == "engine"]
    assert files and {room for path in files for room in rooms_imported(path)} <= {"engine", "errors", "__version__"}


def test_the_front_door_names_no_single_metric():
    from radeval_core.registry import metric_names

    for name in ("api.py", "runner.py", "registry.py", "evaluate_module.py"):
        tree = ast.parse((SOURCE / name).read_text("utf-8"))
        texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        assert not texts & set(metric_names()), name
