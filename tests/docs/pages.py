"""The pages people read: README, documentation, cards; and what is inside them."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
DOCS = sorted((ROOT / "docs").glob("*.md"))
CARDS = [
    path for folder in ("metrics", "datasets_cards", "spaces") for path in sorted((ROOT / folder).glob("*/README.md"))
]
PROJECT = [ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "src/radeval_core/findings/lexicon/README.md"]
PAGES = [README, *DOCS, *CARDS, *PROJECT]

FENCE = re.compile(r"^(```+)([^\n]*)\n(.*?)^\1\n(?:\n```text\n(.*?)^```\n)?", flags=re.DOTALL | re.MULTILINE)


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def blocks(path, language):
    """Return the code blocks of a language: (code, the text block right below it or None)."""
    found = FENCE.findall(path.read_text("utf-8"))
    return [(code, printed or None) for _, info, code, printed in found if info == language]


def commands(code):
    """Return the commands of a shell block, each on one line."""
    return [line for line in code.replace("\\\n", " ").splitlines() if line.strip() and not line.startswith("#")]


def prose(path):
    """Return the text of a page without its code blocks."""
    return FENCE.sub("", path.read_text("utf-8"))
