"""Builds the file page: two files, their columns, the metrics, and below them the result."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import gradio as gr

from radeval_core.registry import metric_names
from radeval_core.ui.batch import MAX_BYTES, MAX_ROWS
from radeval_core.ui.demo import page_options
from radeval_core.ui.file_page import answers
from radeval_core.ui.file_page.cases import WORST
from radeval_core.ui.file_page.endpoint import score_table
from radeval_core.ui.file_page.sample import sample_links
from radeval_core.ui.file_page.shelf import MAX_AGE
from radeval_core.ui.file_page.visit import QUICK, SUFFIXES, metric_choices, total_words
from radeval_core.ui.html_block import html_block
from radeval_core.ui.navigation import navigation
from radeval_core.ui.page import DELETE_UPLOADS
from radeval_core.ui.page_head import describe_page
from radeval_core.ui.report.page import section_style
from radeval_core.ui.upload_field import only_uploads

_TITLE = "radeval file page"
_ABOUT = """Upload a file of report pairs once and score it with every metric you choose: numbers with intervals, the
errors and findings that go wrong, the worst cases as marked-up sheets, and how far the metrics agree. Add a second file
to compare two systems."""
_BEFORE = f"""<ul class="fp-before">
<li><b>Where your file goes.</b> Into the memory of this server, and nowhere else. The upload is deleted from its disk
as soon as it is read. Nothing is logged or sent to another machine.</li>
<li><b>How long it stays.</b> Until you leave the page or press <i>Forget my files</i>; at most {MAX_AGE / 60:.0f}
minutes after your last click. What you save is made for your browser; the server keeps no copy.</li>
<li><b>Limits.</b> {MAX_ROWS:,} rows and {MAX_BYTES / 1e6:g} MB per file; {", ".join(SUFFIXES)}. For more, run
<code>radeval score</code> on your machine.</li>
<li><b>What it needs.</b> A column with generated reports and one with reference reports; ids are optional. @SAMPLE@
Upload patient reports only to a server that you run or trust.</li></ul>"""
#: the roles of columns, with the words of their dropdowns
_ROLES = {"prediction": "Generated", "reference": "Reference", "id": "Ids"}
#: a click on an id in the table of pairs sends its place
_ROW_CLICK = """element.addEventListener("click", (event) => {
  const link = event.target.closest("#index tbody a");
  if (!link) return;
  event.preventDefault();
  trigger("click", { place: Number(link.closest("tr").dataset.place) });
});"""


def file_page_options() -> dict[str, Any]:
    """Return the options that the page is served with: those of all pages, with its own style and script."""
    shared = page_options()
    head = shared["head"].replace("</style>", f"{section_style()}{_file('style.css')}</style>", 1)
    return {**shared, "head": head, "js": f"() => {{ ({shared['js']})(); {_file('file_page.js')}; }}"}


@dataclass(frozen=True)
class _FileFields:
    """The fields of one file: the upload, what is in it, and its columns."""

    upload: gr.File
    described: gr.HTML
    columns: list[gr.Dropdown]


@dataclass(frozen=True)
class _ResultFields:
    """The fields of the result."""

    system: gr.Radio
    sections: gr.HTML
    search: gr.Textbox
    index: gr.HTML
    metric: gr.Dropdown
    order: gr.Dropdown
    back: gr.Button
    forward: gr.Button
    words: gr.Markdown
    cases: gr.HTML
    saves: dict[str, gr.Button]
    page: gr.State
    places: gr.JSON
    file: gr.JSON


def build_file_page() -> gr.Blocks:
    """Build the page, with the endpoint `/score_table`."""
    describe_page("file_page", _TITLE, "Score a file of radiology reports · radeval", _ABOUT)
    with gr.Blocks(title=_TITLE, analytics_enabled=False, delete_cache=DELETE_UPLOADS) as demo:
        html_block(navigation("file_page"))
        gr.Markdown(f"# Score a file\n{_ABOUT}", elem_id="fp-about")
        html_block(_BEFORE.replace("@SAMPLE@", sample_links()))
        with gr.Row():
            sides = [_file_fields("a", "System A"), _file_fields("b", "System B (optional)")]
        leave_out = gr.Checkbox(label="Leave out the rows that cannot be read", visible=False, elem_id="fp-leave-out")
        with gr.Row(elem_id="fp-extra"):
            sample = _small("Try the sample", "fp-sample")
            remove = _small("Remove the second file", "fp-remove", visible=False)
            forget = _small("Forget my files", "fp-forget")
        with gr.Row(elem_id="fp-sets"):
            gr.Markdown("### Metrics")
            sets = {label: _small(label, f"fp-{label.lower()}") for label in ("Quick", "All", "None")}
        metrics = gr.CheckboxGroup(metric_choices({}), value=list(QUICK), show_label=False, elem_id="fp-metrics")
        with gr.Row(elem_id="fp-start"):
            score = gr.Button("Score (Ctrl+Enter)", variant="primary", elem_id="score", scale=0, min_width=190)
            total = gr.Markdown(total_words({}, QUICK), elem_id="fp-total")
        status = html_block(answers.EMPTY, elem_id="fp-status", min_height=70)
        with gr.Column(visible=False, elem_id="fp-result") as result:
            shown = _result_fields()
        columns = [field for side in sides for field in side.columns]
        described = [side.described for side in sides]

        checked: dict[str, Any] = {
            "fn": answers.check,
            "inputs": columns,
            "outputs": [*described, leave_out, remove],
            **_quiet(),
        }
        estimated: dict[str, Any] = {
            "fn": answers.estimate,
            "inputs": columns,
            "outputs": metrics,
            "show_progress_on": [total],
            **_private(),
        }
        summed: dict[str, Any] = {"fn": answers.total, "inputs": metrics, "outputs": total, **_quiet()}
        taken = [
            side.upload.upload(
                take, side.upload, [side.upload, status, *side.columns], show_progress_on=[side.described], **_private()
            )
            for side, take in zip(sides, (answers.take_first, answers.take_second), strict=True)
        ]
        taken.append(sample.click(answers.take_sample, None, [status, *columns], **_private()))
        taken.append(remove.click(answers.remove_second, None, sides[1].columns, **_private()))
        for event in taken:
            event.then(**checked).then(**estimated).then(**summed)
        gr.on([field.input for field in columns], trigger_mode="always_last", **checked).then(**estimated).then(
            **summed
        )
        for label, names in (("Quick", list(QUICK)), ("All", list(metric_names())), ("None", [])):
            sets[label].click(lambda names=names: names, None, metrics, **_quiet())
        metrics.change(**summed)
        cases = [shown.cases, shown.page, shown.words]
        overview = [shown.sections, shown.index, shown.metric]
        score.click(
            answers.score,
            [metrics, leave_out, *columns],
            [status, result, shown.system, shown.order, *overview, *cases],
            show_progress_on=[status],
            concurrency_limit=2,
            **_private(),
        ).then(None, None, None, js="() => filePage.arrived()")
        forget.click(answers.forget, None, [status, result, *described, *columns], **_private())
        _wire_result(shown, overview, cases)
        demo.unload(answers.leave)
        _endpoint()
    return demo


def _file_fields(letter: str, label: str) -> _FileFields:
    with gr.Column(min_width=320):
        upload = gr.File(label=label, file_types=list(SUFFIXES), height=120, elem_id=f"fp-upload-{letter}")
        with gr.Row(elem_classes="fp-columns"):
            columns = [
                gr.Dropdown(
                    [],
                    label=f"{words} (column of {letter.upper()})",
                    visible=False,
                    interactive=True,
                    min_width=150,
                    elem_id=f"fp-{role}-{letter}",
                )
                for role, words in _ROLES.items()
            ]
        described = html_block(elem_id=f"fp-file-{letter}")
    return _FileFields(only_uploads(upload), described, columns)


def _result_fields() -> _ResultFields:
    with gr.Row(elem_id="fp-save"):
        saves = {
            "csv": _small("Save scores (CSV)", "fp-csv"),
            "jsonl": _small("Save details (JSONL)", "fp-jsonl"),
            "html": _small("Save the report (HTML)", "fp-html"),
        }
    system = gr.Radio([], label="System shown below", visible=False, interactive=True, elem_id="fp-system")
    sections = html_block(elem_id="fp-sections")
    gr.Markdown("## Pairs", elem_id="fp-pairs")
    search = gr.Textbox(
        label="Search ids and reports",
        placeholder="a word or an id; click a heading to sort, an id to open the pair",
        max_lines=1,
        elem_id="fp-search",
    )
    index = html_block(elem_id="fp-index", js_on_load=_ROW_CLICK)
    gr.Markdown("## Cases", elem_id="fp-cases")
    with gr.Row(elem_id="fp-order"):
        metric = gr.Dropdown([], label="By metric", interactive=True, min_width=150, elem_id="fp-metric")
        order = gr.Dropdown([WORST], value=WORST, label="Order", interactive=True, visible=False, elem_id="fp-by")
        back, forward = _small("← Previous", "fp-back"), _small("Next →", "fp-next")
        words = gr.Markdown(elem_id="fp-words")
    cases = html_block(elem_id="fp-case-list")
    return _ResultFields(
        system,
        sections,
        search,
        index,
        metric,
        order,
        back,
        forward,
        words,
        cases,
        saves,
        gr.State(0),
        gr.JSON(visible=False),
        gr.JSON(visible=False),
    )


def _wire_result(shown: _ResultFields, overview: list[Any], cases: list[Any]) -> None:
    """Connect the fields of the result."""
    chosen = [shown.system, shown.metric, shown.order]
    shown.system.input(answers.show_system, chosen, [*overview, *cases], **_private())
    gr.on([shown.metric.input, shown.order.input], answers.first_cases, chosen, cases, **_private())
    shown.back.click(answers.earlier_cases, [*chosen, shown.page], cases, **_private())
    shown.forward.click(answers.next_cases, [*chosen, shown.page], cases, **_private())
    shown.index.click(answers.open_pair, chosen, cases, **_private()).then(
        None, None, None, js="() => filePage.see('fp-cases')"
    )
    shown.search.change(
        answers.search, [shown.search, shown.system], shown.places, trigger_mode="always_last", **_quiet()
    ).then(None, shown.places, None, js="(places) => filePage.found(places)")
    makers = {"csv": answers.save_csv, "jsonl": answers.save_jsonl, "html": answers.save_html}
    for kind, make in makers.items():
        # the browser saves what the answer contains, and forgets it
        shown.saves[kind].click(make, shown.system, shown.file, **_private()).then(
            None, shown.file, shown.file, js="(file) => filePage.save(file)"
        )


def _endpoint() -> None:
    """Add the endpoint for programs; it belongs to a hidden button."""
    uploads = [
        only_uploads(gr.File(label=label, file_types=list(SUFFIXES), visible=False))
        for label in ("Pairs", "Second system")
    ]
    metrics = gr.CheckboxGroup(metric_names(), value=list(QUICK), label="Metrics", visible=False)
    columns = [gr.Textbox("", label=f"Column: {words.lower()}", visible=False) for words in _ROLES.values()]
    leave_out = gr.Checkbox(label="Leave out rows that cannot be read", visible=False)
    gr.Button(visible=False).click(
        score_table,
        [uploads[0], metrics, uploads[1], *columns, leave_out],
        gr.JSON(visible=False, label="Scores and comparison"),
        api_name="score_table",
        concurrency_limit=2,
        api_description="Score a file of report pairs with several metrics; compare two systems with a second file.",
    )


def _small(label: str, name: str, **options: Any) -> gr.Button:
    return gr.Button(label, size="sm", min_width=60, elem_id=name, **options)


def _private() -> dict[str, Any]:
    return {"api_visibility": "private"}


def _quiet() -> dict[str, Any]:
    """Return the settings of quick steps without a progress display."""
    return {"api_visibility": "private", "show_progress": "hidden"}


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
