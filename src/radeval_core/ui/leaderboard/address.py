"""The part of an address after `#`: which tab, ranking, system and comparison a link to the page shows.

Browsers do not send it to the server; leaderboard.js reads and writes it in the same form.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from urllib.parse import parse_qsl, urlencode

TABS = ("ranking", "systems", "compare", "submit", "method")
_LONGEST = 2_000


@dataclass(frozen=True)
class Address:
    """What a link shows; empty fields leave the choice to the page.

    Attributes:
        tab: one of `TABS`.
        metric: the metric to rank by.
        part: the part of the studies, as `facet:value`.
        system: the submission to show, or the start of its id.
        a: the first submission to compare.
        b: the second submission to compare.
    """

    tab: str = ""
    metric: str = ""
    part: str = ""
    system: str = ""
    a: str = ""
    b: str = ""

    def link(self) -> str:
        """Return the link, with its `#`."""
        return f"#{urlencode({key: value for key, value in asdict(self).items() if value}, safe=':')}"


def read_address(written: object) -> Address:
    """Read what follows the `#` of an address. What is not understood is left out: old links stay useful."""
    known = {field.name for field in fields(Address)}
    given = written if isinstance(written, str) and len(written) <= _LONGEST else ""
    found = {key: value for key, value in parse_qsl(given.lstrip("#")) if key in known}
    return Address(**{**found, "tab": found.get("tab", "") if found.get("tab") in TABS else ""})
