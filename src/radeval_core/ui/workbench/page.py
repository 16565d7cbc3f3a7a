"""Builds the workbench: a reference, one or two candidates, their sheets, and every metric at once."""

from __future__ import annotations

from functools import partial
from importlib.resources import files
from typing import Any

import gradio as gr
import yaml

from radeval_core.engine.devices import one_thread
from radeval_core.findings.perturb import perturb
from radeval_core.html_text import text
from radeval_core.pairs import is_blank
from radeval_core.registry import get_spec, metric_names, scorer_class
from radeval_core.ui.context_fields import context_fields, context_from
from radeval_core.ui.coverage_view import draw_coverage
from radeval_core.ui.demo import EXAMPLES, MAX_CHARACTERS, page_options
from radeval_core.ui.html_block import html_block as _html
from radeval_core.ui.navigation import navigation, space_link
from radeval_core.ui.page_head import describe_page
from radeval_core.ui.pair import guarded, page_error, score_pair
from radeval_core.ui.score_header import headline
from radeval_core.ui.sheet import read_sheet
from radeval_core.ui.space_page import hub_org
from radeval_core.ui.workbench.metric_readings import errors_noticed, pair_coverage
from radeval_core.ui.workbench.noticed import noticed_list
from radeval_core.ui.workbench.visits import HEADERS, Visit, compare_pairs, picture_link, refusal, show_visits

#: button label -> kind of change
CHANGES = {
    "Negate a finding": "negation",
    "Swap a side": "side",
    "Change a severity": "severity",
    "Drop a sentence": "omission",
    "Add a false finding": "insertion",
    "Paraphrase": "paraphrase",
    "Shuffle": "order",
}
#: maximum pairs per batch (from different visitors), and batches at once
_BATCH, _BATCHES = 8, 2
_TITLE = "radeval workbench"
_ABOUT = """# Workbench
Mark up one or two candidate reports against a reference, and see what every metric says. Nothing you type is logged or
written to disk."""
_SCALE = """The scale is only for display and keeps each metric's order. Metrics with two bounds are drawn between their
bounds, radcliq and bertscore between "nothing in common" and "identical", fineradscore as 1 / (1 + sum / 4). 0.7 on one
metric is not as good as 0.7 on another. All metrics run in their embedded config; cider counts words in the example
reports. The sheets show what our findings parser reads: an error that it does not see has no mark. Severity is that of
FineRadScore's scale. `radeval bench` measures how well each metric agrees with radiologists. A link contains the texts
after its `#`, which browsers do not send to the server; anyone with the link can read them."""
#: Gradio sends `load` before the script of the page has run
_WHEN_READY = """async (...fields) => {
  while (!window.workbench) await new Promise((resolve) => setTimeout(resolve, 10));
  return workbench.read(...fields);
}"""
#: a click on a chip sends the name of its metric
_CHIP_CLICK = """element.addEventListener("click", (event) => {
  const chip = event.target.closest(".wb-chip");
  if (chip) trigger("click", { metric: chip.dataset.metric });
});"""


def workbench_options() -> dict[str, Any]:
    """Return the options that the page is served with: those of all pages, with its own style and script."""
    shared = page_options()
    head = shared["head"].replace("</style>", f"{_file('style.css')}</style>", 1)
    return {**shared, "head": head, "js": f"() => {{ ({shared['js']})(); {_file('workbench.js')}; }}"}


def build_workbench() -> gr.Blocks:
    """Build the page, with the endpoints `/compare`, `/mark`, `/explain` and `/perturb`."""
    case = yaml.safe_load(_file("hard_example.yaml"))
    opened = [case["reference"], case["candidate_a"], case["candidate_b"], "", "", "", ""]
    # models load here, not on a visitor's click, and the page opens with a scored case
    ((top,), (marked,), (drawn,), (numbers,)) = show_visits(*([field] for field in opened))
    describe_page("workbench", _TITLE, "Workbench for radiology reports · radeval", _ABOUT.partition("\n")[2])
    with gr.Blocks(title=_TITLE, analytics_enabled=False) as demo:
        _html(navigation("workbench"))
        gr.Markdown(_ABOUT, elem_id="wb-about")
        with gr.Row(equal_height=True):
            reference = _report("Reference", opened[0], "reference")
            candidate = _report("Candidate A", opened[1], "candidate")
            other = _report("Candidate B (optional)", opened[2], "candidate-b")
        with gr.Row(elem_id="wb-buttons"):
            which = gr.Radio(["A", "B"], value="A", label="Change candidate", elem_id="wb-which", container=False)
            changes = {kind: _small(label, f"wb-{kind}") for label, kind in CHANGES.items()}
            copy, undo = _small("Copy the reference", "wb-copy"), _small("Undo", "wb-undo")
            clear, score = _small("Clear", "wb-clear"), _small("Score (Ctrl+Enter)", "score")
        with gr.Row():
            with gr.Column(scale=3, min_width=320):
                examples = gr.Dataset(
                    components=[reference, candidate, other],
                    samples=[opened[:3], *([e.reference, e.candidate, ""] for e in EXAMPLES)],
                    sample_labels=["a denied embolism", *(e.label for e in EXAMPLES)],
                    label="Examples: candidate A is",
                    elem_id="wb-examples",
                )
            with gr.Column(scale=2, min_width=320):
                context = context_fields(is_open=False)
        fields = [reference, candidate, other, *context]
        note = gr.Textbox(
            label="Last change", interactive=False, lines=1, max_lines=3, visible=False, elem_id="wb-last"
        )
        verdict = _html(top, elem_id="wb-top")
        with gr.Row():
            with gr.Column(scale=7, min_width=340):
                sheets = _html(marked, elem_id="wb-sheets")
            with gr.Column(scale=5, min_width=340):
                chart = _html(drawn, elem_id="wb-chips", js_on_load=_CHIP_CLICK)
                with gr.Row(elem_id="wb-more"):
                    explain = gr.Button(
                        "Which error does each metric notice?", variant="primary", size="sm", elem_id="wb-explain"
                    )
                    share, save = _small("Copy a link", "wb-share"), _small("Save as a picture", "wb-save")
                link = gr.Textbox(label="Link", interactive=False, visible=False, buttons=["copy"], elem_id="wb-link")
                picture = _html(elem_id="wb-picture")
                reasons = _html(elem_id="wb-reasons")
        why = _html(elem_id="wb-why")
        whole = space_link("file_page", "file page")
        _html(f'<p class="wb-note">A whole file of pairs, or two systems: the {whole}.</p>')
        with gr.Accordion("Numbers and signatures", open=False):
            table = gr.Dataframe(
                numbers,
                headers=list(HEADERS),
                datatype=["str", "number", "number", "str", "number", "number", "str"],
                interactive=False,
                wrap=True,
                label="Every metric",
            )
        with gr.Accordion("About the scale, the sheets and links", open=False):
            gr.Markdown(_SCALE)
        seed = gr.State(0)

        show: dict[str, Any] = {
            "fn": show_visits,
            "inputs": fields,
            "outputs": [verdict, sheets, chart, table],
            "concurrency_limit": _BATCHES,
            **_batched(),
            "api_visibility": "private",
        }
        edited = [field.change for field in fields]
        # `change`, not `input`: Gradio sends `input` only for keys, not for a paste with the mouse
        stale: dict[str, Any] = {
            "fn": None,
            "inputs": fields,
            "outputs": [reasons, why],
            "js": _call("changed", "both"),
        }
        gr.on(edited, trigger_mode="multiple", **stale)
        # a running step must not drop the next one: the page would show old numbers
        gr.on([*edited, score.click], trigger_mode="always_last", **show).then(None, fields, None, js=_call("shown"))
        demo.load(None, fields, fields, js=_WHEN_READY)
        examples.click(None, fields, None, js=_call("press")).then(
            lambda chosen: chosen, examples, [reference, candidate, other], **_quiet()
        )
        texts = [reference, candidate, other]
        for kind, button in {**changes, "copy": copy}.items():
            button.click(None, [*texts, which], None, js=_call("press")).then(
                partial(_press, kind), [*texts, which, seed], [candidate, other, note, seed], **_quiet()
            ).then(None, fields, None, js=_call("pressed"))
        clear.click(None, fields, None, js=_call("press")).then(lambda: [""] * 3, None, texts, **_quiet())
        undo.click(None, texts, texts, js=_call("undo"))
        explain.click(None, fields, None, js=_call("ask")).then(
            _explain_page, [*fields, which], reasons, concurrency_id="metrics", api_visibility="private"
        ).then(None, None, None, js="() => workbench.see('wb-reasons')")
        chart.click(_why, fields, why, concurrency_id="metrics", api_visibility="private").then(
            None, None, None, js="() => workbench.see('wb-why')"
        )
        share.click(None, fields, link, js=_call("share")).then(
            lambda: gr.Textbox(visible=True), None, link, **_quiet()
        )
        save.click(_picture, fields, picture, concurrency_id="metrics", api_visibility="private").then(
            None, None, None, js="() => workbench.save()"
        )
        _endpoints()
    return demo


def _endpoints() -> None:
    """Add the endpoints for programs; each belongs to a hidden button, with boxes that hold no example."""
    rows = gr.Dataframe(
        headers=["metric", "score", "better", "common scale", "signature"], visible=False, label="Scores"
    )
    reasons = gr.HTML(visible=False)
    both = [gr.Textbox(visible=False, label="Reference"), gr.Textbox(visible=False, label="Candidate")]
    gr.Button(visible=False).click(
        compare_pairs, both, rows, api_name="compare", concurrency_limit=_BATCHES, **_batched()
    )
    gr.Button(visible=False).click(explain_pair, both, reasons, api_name="explain", concurrency_id="metrics")
    gr.api(mark_report, api_name="mark")
    gr.api(perturb_report, api_name="perturb")


def mark_report(reference: str, candidate: str) -> list[dict[str, Any]]:
    """Return the errors of a candidate report with the wrong words and the right ones, the most severe first.

    Args:
        reference: the report to compare with.
        candidate: the report to mark up.

    Returns:
        One entry per error: severity (1 not actionable to 4 emergent, 0 only vaguer), category, what is wrong, and
        edits with start and end in the candidate, the wrong words and the right ones.
    """
    reference, candidate = reference or "", candidate or ""
    if refused := refusal(reference, candidate):
        raise page_error(refused)
    sheet = guarded("workbench", lambda: read_sheet(reference, candidate), "this pair could not be compared")
    if sheet.problem:
        raise page_error(sheet.problem)
    return [
        {
            "severity": mark.severity,
            "category": mark.category,
            "what": mark.label,
            "edits": [
                {"start": e.start, "end": e.end, "wrong": candidate[e.start : e.end], "right": e.right.strip()}
                for e in mark.edits
            ],
        }
        for mark in sheet.marks
    ]


def explain_pair(reference: str, candidate: str) -> str:
    """Return as HTML how much each metric rises when only one error of the candidate is corrected.

    Args:
        reference: the report to compare with.
        candidate: the report to score.
    """
    return _explained(Visit.of([reference, candidate, "", "", "", "", ""]), "A")


def perturb_report(report: str, kind: str, seed: int = 0) -> str:
    """Insert one error of a given kind into a report, or make one change that keeps its meaning.

    Args:
        report: the report to change.
        kind: negation, finding, side, region, severity, omission, insertion, paraphrase or order.
        seed: selects one of the possible changes.

    Returns:
        The changed report, or the same report if this kind of change is not possible.
    """
    if refused := refusal(report, ""):
        raise page_error(refused)
    changed = perturb(report, kind, seed)
    return report if changed is None else changed.text


def _explain_page(*values: str) -> str:
    *fields, which = values
    visit = Visit.of(fields)
    return _explained(visit, which if which in visit.candidates else "A")


def _explained(visit: Visit, which: str) -> str:
    one_thread()
    if visit.problem:
        raise page_error(visit.problem)
    reference, candidate = visit.reference, visit.candidates[which]

    def work() -> str:
        covered = pair_coverage(reference, candidate)
        if covered.problem:
            return draw_coverage(covered.as_dict(), covered.problem, reference, candidate)
        found = errors_noticed(reference, candidate, visit.context)
        total = len(read_sheet(reference, candidate, visit.context).errors)
        return noticed_list(found, total)

    return guarded("workbench", work, "this pair could not be explained")


def _why(
    reference: str,
    candidate: str,
    other: str,
    age: str,
    sex: str,
    indication: str,
    history: str,
    chip: gr.EventData,
) -> str:
    """Return the view of the metric whose chip was clicked, for every candidate."""
    name = str(getattr(chip, "metric", ""))
    if name not in metric_names():
        raise page_error("no such metric")
    one_thread()
    context = (age, sex, indication, history)
    visit = Visit.of([reference, candidate, other, *context])
    if visit.problem:
        raise page_error(visit.problem)
    known = context_from(context) if scorer_class(name).uses_context and not visit.warning else None
    views = []
    for letter, report in visit.candidates.items():
        found = score_pair(name, visit.reference, report, context=known)
        title = f"<h4>Candidate {letter}</h4>" if len(visit.candidates) > 1 else ""
        views.append(f"<div>{title}{headline(get_spec(name), found.headline)}{found.view}</div>")
    page = f'<a data-space="{name}" href="https://huggingface.co/spaces/{text(hub_org())}/{name}" target="_self">'
    return (
        f'<div class="wb-why"><h3>Why {name} says so</h3><div class="wb-pair">{"".join(views)}</div>'
        f"<p>{page}Open this pair on the page of {name}</a>: signature, code, files of pairs.</p></div>"
    )


def _picture(*fields: str) -> str:
    visit = Visit.of(fields)
    if visit.problem:
        raise page_error(visit.problem)
    one_thread()
    return guarded("workbench", lambda: picture_link(visit), "the picture could not be drawn")


def _press(kind: str, reference: str, candidate: str, other: str, which: str, seed: int) -> tuple[str, str, Any, int]:
    """Change the chosen candidate; return both candidates, a note and the next seed."""
    old = (candidate if which == "A" else other) or ""
    new, words, step = _changed(kind, reference or "", old, seed)
    both = (new, other) if which == "A" else (candidate, new)
    return *both, gr.Textbox(words, visible=True), step


def _changed(kind: str, reference: str, old: str, seed: int) -> tuple[str, str, int]:
    if kind == "copy":
        return reference, "copied the reference", seed
    start = reference if is_blank(old) else old
    changed = perturb(start, kind, seed) if len(start) <= MAX_CHARACTERS else None
    if changed is None:
        return old, f"no change of this kind is possible here ({kind})", seed
    finding = f" ({changed.finding})" if changed.finding else ""
    return changed.text, f"{kind}{finding}: {changed.before or '–'} → {changed.after or '–'}", seed + 1


def _report(label: str, value: str, name: str) -> gr.Textbox:
    return gr.Textbox(value, label=label, lines=4, max_lines=10, min_width=280, elem_id=name)


def _small(label: str, name: str) -> gr.Button:
    return gr.Button(label, size="sm", min_width=60, elem_id=name)


def _batched() -> dict[str, Any]:
    return {"batch": True, "max_batch_size": _BATCH, "concurrency_id": "metrics", "show_progress": "hidden"}


def _quiet() -> dict[str, Any]:
    """Return the settings of steps without endpoint, progress display or queue."""
    return {"api_visibility": "private", "show_progress": "hidden", "queue": False}


def _call(method: str, shape: str = "") -> str:
    """Return JavaScript that calls a function of workbench.js with the fields."""
    if shape == "both":
        return f"(...fields) => {{ const value = workbench.{method}(...fields); return [value, value]; }}"
    return f"(...fields) => workbench.{method}(...fields)"


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
