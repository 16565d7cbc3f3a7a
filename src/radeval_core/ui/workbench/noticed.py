"""Renders which metric notices which error: each error alone corrected, and every number that moved."""

from __future__ import annotations

import math
from collections.abc import Sequence

from radeval_core.error_categories import in_words
from radeval_core.html_text import text
from radeval_core.registry import get_spec
from radeval_core.ui.sheet.drawing import SIGNS
from radeval_core.ui.sheet.marks import SEVERITIES
from radeval_core.ui.workbench.chips import short
from radeval_core.ui.workbench.metric_readings import MAX_ERRORS, Noticed


def noticed_list(errors: Sequence[Noticed], total: int) -> str:
    """Render all errors, each with the metrics that move when only it is corrected.

    Args:
        errors: the errors.
        total: number of errors of the candidate; more than shown only in a text of an unusual length.
    """
    if not errors:
        return '<p class="wb-note">The findings parser sees no error in this candidate.</p>'
    rows = "".join(map(_error, errors))
    left = f" The {MAX_ERRORS} most severe of {total} errors are shown." if total > len(errors) else ""
    return (
        '<div class="wb-noticed rs"><h3>Which error does each metric notice?</h3>'
        '<p class="wb-note">Each error is corrected alone. A bar shows how far a metric rises on the common scale, and '
        f"its score before and after. “Not noticed” means that the number did not move at all.{left}</p>{rows}</div>"
    )


def _error(error: Noticed) -> str:
    mark, unmoved = error.mark, set(error.unmoved)
    unknown = [name for name, gain in error.gains.items() if math.isnan(gain)]
    moved = [(name, gain) for name, gain in error.gains.items() if name not in unmoved and not math.isnan(gain)]
    moved.sort(key=lambda row: -row[1])
    rows = "".join(_move(error, name, gain) for name, gain in moved)
    silent = [f"<b>not noticed</b> by {', '.join(n for n in error.gains if n in unmoved)}"] if unmoved else []
    silent += [f"not scored by {', '.join(unknown)}"] if unknown else []
    return (
        f'<section class="s{mark.severity}"><h4><span class="rs-n">{error.number}</span> <b class="rs-sev">'
        f"{SIGNS[mark.severity]} {SEVERITIES[mark.severity]}</b> {text(in_words(mark.category))}: {text(mark.label)}"
        f'</h4><ul>{rows}</ul><p class="wb-note">{"; ".join(silent)}</p></section>'
    )


def _move(error: Noticed, name: str, gain: float) -> str:
    spec, old, new = get_spec(name), error.before[name].raw, error.after[name].raw
    kind = "wb-fall" if gain < 0 else "wb-rise"
    worse = " worse" if gain < 0 else ""
    shown = f"{gain:+.2f}" if abs(gain) >= 0.005 else f"{'−' if gain < 0 else '+'}&lt;0.01"
    return (
        f'<li class="{kind}"><span class="wb-name">{name}</span><span class="wb-track"><i style="width:'
        f'{100 * min(1.0, abs(gain)):.1f}%"></i></span><span class="wb-move"><b>{shown}</b>{worse} '
        f"<small>{_raw(old)} → {_raw(new)} {spec.arrow}</small></span></li>"
    )


def _raw(value: float) -> str:
    return f"{value:.4g}" if abs(value) < 0.01 and value else short(value)
