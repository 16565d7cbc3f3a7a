"""Generated films for the tests of the region detector."""

import json

import pytest


@pytest.fixture(scope="session")
def table(tmp_path_factory):
    """Return a table of 20 small films of 10 patients, 2 of them held out."""
    from draw_films import write_films

    return write_films(tmp_path_factory.mktemp("films"), patients=10, seed=0, side=80)


@pytest.fixture
def rows(table):
    """Return the rows of the table."""
    return [json.loads(line) for line in table.read_text("utf-8").splitlines()]


@pytest.fixture
def write(table):
    """Return a function that writes rows into a table beside the films."""
    paths = []

    def write(rows, name="other.jsonl"):
        path = table.parent / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        paths.append(path)
        return path

    yield write
    for path in paths:
        path.unlink()
