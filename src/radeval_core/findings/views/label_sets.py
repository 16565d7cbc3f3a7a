"""The label sets that a report can be given by name: `chexpert` for chest films, `ctrate` for chest CT."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from radeval_core.errors import unknown_name
from radeval_core.findings.types import ParsedReport
from radeval_core.findings.views.chexpert import chexpert_labels
from radeval_core.findings.views.ctrate import ctrate_labels

#: labels by name, in the published order
Labels = Mapping[str, int | None]
#: name of a set to the function that labels a report
LABEL_SETS: Mapping[str, Callable[[ParsedReport], Labels]] = {"chexpert": chexpert_labels, "ctrate": ctrate_labels}
DEFAULT_LABELS = "chexpert"


def label_set(name: str) -> Callable[[ParsedReport], Labels]:
    """Return the function that labels a report with a set.

    Raises:
        InputError: the set is unknown; the message lists the known names.
    """
    if name not in LABEL_SETS:
        raise unknown_name("label set", name, LABEL_SETS)
    return LABEL_SETS[name]
