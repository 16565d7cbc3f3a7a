"""Builds the playground page: two reports, every metric at once, and buttons that insert one error."""

from __future__ import annotations

import hashlib
import logging
import math
from collections.abc import Sequence
from functools import partial
from importlib.resources import files
from typing import Any

import gradio as gr

from radeval_core.engine.devices import one_thread
from radeval_core.findings.perturb import perturb
from radeval_core.pairs import is_blank
from radeval_core.registry import get_spec, metric_names
from radeval_core.ui.coverage_view import draw_coverage
from radeval_core.ui.demo import EXAMPLES, MAX_CHARACTERS
from radeval_core.ui.pair import page_error
from radeval_core.ui.playground.drawing import bars, disagreement, noticed_table
from radeval_core.ui.playground.metric_readings import MetricReading, errors_noticed, pair_coverage, read_pairs

log = logging.getLogger(__name__)
#: button label -> kind of change
CHANGES = {
    "Negate a finding": "negation",
    "Swap a side": "side",
    "Change a severity": "severity",
    "Drop a sentence": "omission",
    "Add a false finding": "insertion",
    "Paraphrase": "paraphrase",
    "Shuffle sentences": "order",
}
#: maximum pairs per batch (from different visitors), and batches at once
_BATCH, _BATCHES = 8, 2
_ABOUT = """# Playground
Every metric scores one pair of reports. All bars share one scale: 1 is the score of identical reports, 0 the score of
a report with nothing right. Edit the texts, or add one error to the candidate, and see which metrics notice. Nothing
you type is logged or written to disk. A link contains the pair after its `#`, which browsers do not send to the server.
"""
#: remember in the browser which pair is explained; show an explanation only beside its pair
_ASK = "(...pair) => { window.explainedPair = JSON.stringify(pair); return pair; }"
_CLEAR = "(...pair) => JSON.stringify(pair) === window.explainedPair ? { __type__: 'update' } : ''"
_SCALE = """The scale is only for display and keeps each metric's order. Metrics with two bounds are drawn between their
bounds, radcliq and bertscore between "nothing in common" and "identical", fineradscore as 1 / (1 + sum / 4). 0.7 on one
metric is not as good as 0.7 on another. All metrics run in their embedded config; cider counts words in the example
reports. `radeval bench` measures how well each metric agrees with radiologists."""


def build_playground() -> gr.Blocks:
    """Build the page, with the endpoints `/compare`, `/perturb` and `/explain`."""
    read_pairs([(EXAMPLES[0].reference, EXAMPLES[0].candidate)])  # models load here, not on a visitor's click
    with gr.Blocks(title="radeval playground", analytics_enabled=False) as demo:
        gr.HTML(f"<style>{_file('style.css')}</style>", visible=True, elem_id="pg-style", padding=False)
        gr.Markdown(_ABOUT)
        with gr.Row():
            with gr.Column(scale=5):
                reference = gr.Textbox(EXAMPLES[1].reference, label="Reference report", lines=5, max_lines=16)
                candidate = gr.Textbox(EXAMPLES[1].candidate, label="Candidate report", lines=5, max_lines=16)
                gr.Markdown("**Change the candidate** (if it is empty, start from the reference)")
                with gr.Row():
                    buttons = {
                        kind: gr.Button(label, size="sm", min_width=130, elem_id=f"pg-{kind}")
                        for label, kind in CHANGES.items()
                    }
                    copy = gr.Button("Copy the reference", size="sm", min_width=130, elem_id="pg-copy")
                note = gr.Textbox(label="Last change", interactive=False, lines=1, max_lines=4)
                examples = gr.Dataset(
                    components=[reference, candidate],
                    samples=[[e.reference, e.candidate] for e in EXAMPLES],
                    sample_labels=[e.label for e in EXAMPLES],
                    label="Examples: the candidate is",
                )
                with gr.Row():
                    share = gr.Button("Create a link to this pair", size="sm", elem_id="pg-share")
                link = gr.Textbox(label="Link", interactive=False, visible=False, buttons=["copy"], elem_id="pg-link")
            with gr.Column(scale=6):
                chart = gr.HTML(label="Every metric on one scale", elem_id="pg-chart")
                verdict = gr.HTML(elem_id="pg-verdict")
                explain = gr.Button("Which error does each metric notice?", variant="primary", elem_id="pg-explain")
        reasons = gr.HTML(elem_id="pg-reasons")
        with gr.Accordion("Numbers and signatures", open=False):
            table = gr.Dataframe(
                headers=["metric", "score", "better", "common scale", "signature"],
                datatype=["str", "number", "str", "number", "str"],
                interactive=False,
                wrap=True,
                label="Every metric",
            )
        with gr.Accordion("About the scale", open=False):
            gr.Markdown(_SCALE)
        before, current, seed = gr.State(None), gr.State(None), gr.State(0)

        show: dict[str, Any] = {
            "fn": _show,
            "inputs": [table, before, candidate, reference],
            "outputs": [chart, verdict, current],
            # a running step must not drop the next one: the chart would show old numbers
            "trigger_mode": "always_last",
            **_quiet(),
        }
        compare: dict[str, Any] = {
            "fn": compare_pairs,
            "inputs": [reference, candidate],
            "outputs": [table],
            "batch": True,
            "max_batch_size": _BATCH,
            "concurrency_limit": _BATCHES,
            "concurrency_id": "metrics",
            "show_progress": "hidden",
        }
        # `change`, not `input`: Gradio sends `input` only for keys, not for a paste with the mouse
        changed = gr.on([reference.change, candidate.change], trigger_mode="always_last", api_name="compare", **compare)
        changed.success(**show)
        # Gradio can send `change` after the click that asks for an explanation: clear only that of another pair
        clear: dict[str, Any] = {"fn": None, "inputs": [reference, candidate], "outputs": reasons, "js": _CLEAR}
        gr.on([reference.change, candidate.change], trigger_mode="multiple", **clear)
        opened = demo.load(None, [reference, candidate], [reference, candidate], js=_script("read"))
        opened.success(**compare, api_visibility="private").success(**show)
        examples.click(lambda chosen: chosen, examples, [reference, candidate], **_quiet())
        copy.click(lambda text: text, reference, candidate, **_quiet())
        for kind, button in buttons.items():
            button.click(
                partial(_press, kind),
                [reference, candidate, seed, current],
                [candidate, note, seed, before],
                **_quiet(),
            )
        explain.click(
            explain_pair, [reference, candidate], reasons, api_name="explain", concurrency_id="metrics", js=_ASK
        ).then(**clear)
        share.click(None, [reference, candidate], link, js=_script("write")).then(
            lambda: gr.Textbox(visible=True), None, link, **_quiet()
        )
        gr.api(perturb_report, api_name="perturb")
    return demo


def compare_pairs(references: Sequence[str], candidates: Sequence[str]) -> tuple[list[list[list[Any]]]]:
    """Score a candidate report against a reference report with every metric.

    Args:
        references: the report to compare with.
        candidates: the report to score.

    Returns:
        One row per metric: name, score, arrow for the better direction, score on the common 0 to 1 scale, signature.
        No rows if both reports are empty, one is too long, or the pair cannot be scored.
    """
    one_thread()
    pairs = [(r or "", c or "") for r, c in zip(references, candidates, strict=True)]
    good = [i for i, pair in enumerate(pairs) if not _refusal(*pair)]
    tables: list[list[list[Any]]] = [[] for _ in pairs]
    for i, readings in zip(good, _read_each([pairs[i] for i in good]), strict=True):
        tables[i] = [
            [r.metric, _number(r.raw), get_spec(r.metric).arrow, _number(r.goodness), r.signature] for r in readings
        ]
    return (tables,)


def _read_each(pairs: Sequence[tuple[str, str]]) -> list[list[MetricReading]]:
    """Score the pairs of several visitors together; if that fails, each alone, so that a bad one fails no other."""
    if not pairs:
        return []
    try:
        return read_pairs(pairs)
    except Exception as error:  # its message may quote a report: log only the type
        log.error("playground: scoring %d pairs failed with %s", len(pairs), type(error).__name__)
    return [[]] if len(pairs) == 1 else [readings for pair in pairs for readings in _read_each([pair])]


def explain_pair(reference: str, candidate: str) -> str:
    """Return an HTML table of how much each metric rises when only one error of the candidate is corrected.

    Args:
        reference: the report to compare with.
        candidate: the report to score.
    """
    one_thread()
    reference, candidate = reference or "", candidate or ""
    if refused := _refusal(reference, candidate):
        raise page_error(refused)
    covered = pair_coverage(reference, candidate)
    if covered.problem:
        return draw_coverage(covered.as_dict(), covered.problem, reference, candidate)
    return noticed_table(errors_noticed(reference, candidate), metric_names())


def perturb_report(report: str, kind: str, seed: int = 0) -> str:
    """Insert one error of a given kind into a report, or make one change that keeps its meaning.

    Args:
        report: the report to change.
        kind: negation, finding, side, region, severity, omission, insertion, paraphrase or order.
        seed: selects one of the possible changes.

    Returns:
        The changed report, or the same report if this kind of change is not possible.
    """
    if len(report) > MAX_CHARACTERS:
        raise gr.Error(_too_long("report", report), print_exception=False)
    changed = perturb(report, kind, seed)
    return report if changed is None else changed.text


def _press(
    kind: str, reference: str, candidate: str, seed: int, current: list[float] | None
) -> tuple[str, str, int, tuple[list[float] | None, str]]:
    """Return the changed candidate, a note, the next seed, and the scores before with a hash of the new text."""
    text = reference if is_blank(candidate or "") else candidate
    changed = perturb(text, kind, seed) if len(text) <= MAX_CHARACTERS else None
    if changed is None:
        return candidate, f"no change of this kind is possible here ({kind})", seed, (None, "")
    finding = f" ({changed.finding})" if changed.finding else ""
    note = f"{kind}{finding}: {changed.before or '–'} → {changed.after or '–'}"
    return changed.text, note, seed + 1, (current, _hash(changed.text))


def _show(
    table: Any, before: tuple[list[float] | None, str] | None, candidate: str, reference: str
) -> tuple[str, str, list[float] | None]:
    """Render a table of scores; show the scores before only while the candidate is the button's result.

    Below them stands what the findings parser did not understand.
    """
    rows = table.values.tolist()
    if not rows or rows[0][0] in ("", None):
        text = f"No scores: write a reference and a candidate of at most {MAX_CHARACTERS:,} characters each."
        return f"<p>{text}</p>", "", None
    readings = [MetricReading(r[0], _float(r[1]), _float(r[3]), r[4]) for r in rows]
    earlier = before[0] if before and before[1] == _hash(candidate) else None
    covered = pair_coverage(reference or "", candidate or "")
    unread = draw_coverage(covered.as_dict(), covered.problem, reference or "", candidate or "")
    return bars(readings, earlier), disagreement(readings) + unread, [r.goodness for r in readings]


def _hash(text: str) -> str:
    """Return a hash that identifies a text without storing it."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _refusal(reference: str, candidate: str) -> str:
    """Return why a pair cannot be scored, or "" if it can."""
    if is_blank(reference) and is_blank(candidate):
        return "both reports are empty: write or paste a reference and a candidate, or click an example"
    for what, text in (("reference", reference), ("candidate", candidate)):
        if len(text) > MAX_CHARACTERS:
            return _too_long(what, text)
    return ""


def _too_long(what: str, text: str) -> str:
    return f"the {what} has {len(text):,} characters; the maximum here is {MAX_CHARACTERS:,}"


def _quiet() -> dict[str, Any]:
    """Return the settings of steps without endpoint, progress display or queue."""
    return {"api_visibility": "private", "show_progress": "hidden", "queue": False}


def _script(method: str) -> str:
    """Return JavaScript that defines the object in link.js and calls one of its functions."""
    return f"(reference, candidate) => {{ {_file('link.js')}\nreturn playgroundLink.{method}(reference, candidate); }}"


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _float(value: Any) -> float:
    return float("nan") if value is None else float(value)


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
