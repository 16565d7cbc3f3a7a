"""Lays out a metric's demo page: a tab for one pair, a tab for a file, and the typed endpoints for programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr

from radeval_core.metrics.spec import MetricSpec
from radeval_core.registry import get_spec, scorer_class
from radeval_core.ui import batch, film
from radeval_core.ui.configs import offered_configs
from radeval_core.ui.context_fields import context_fields, context_from
from radeval_core.ui.examples import EXAMPLES
from radeval_core.ui.html_block import html_block
from radeval_core.ui.navigation import navigation, space_link
from radeval_core.ui.opening import SHEET, offered_examples, opening_example, opening_pair, page_of, patient
from radeval_core.ui.page_head import describe_page
from radeval_core.ui.pair import ScoredPair, demo_options, score_pair
from radeval_core.ui.score_header import direction, headline
from radeval_core.ui.space_page import SpacePage, hub_org
from radeval_core.ui.upload_field import only_uploads

#: seconds between checks for uploads that were never scored, and their age in seconds when they are deleted
DELETE_UPLOADS = (60, 300)
#: metrics whose details name errors
JUDGES = ("green", "crimson", "fineradscore", "chexprompt")
#: fill in the pair of a link and score it; Gradio sends `load` before the script of the page has run
_CARRIED = """async (...fields) => {
  while (!window.radeval) await new Promise((resolve) => setTimeout(resolve, 10));
  const carried = await window.radeval.link.read();
  if (!carried) return fields;
  const filled = () => window.radeval.fields()[0] === carried[0] && window.radeval.fields()[1] === carried[1];
  const press = () => (filled() ? document.getElementById("score").click() : setTimeout(press, 50));
  setTimeout(press, 50);
  return [carried[0], carried[1], ...carried.slice(3)].slice(0, fields.length);
}"""
#: where the cards are published
HUB = "https://huggingface.co/spaces"


def build_page(name: str, page: SpacePage | None = None) -> gr.Blocks:
    """Build the page of a metric, with two typed endpoints, `/score` and `/score_file`.

    Args:
        name: the metric.
        page: the words of the page; by default those of the metric's Space.
    """
    spec = get_spec(name)
    configs = offered_configs(name)  # a metric that cannot run fails here, not on a visitor's click
    page = page or page_of(name)
    describe_page(
        name, f"radeval: {name}", f"{page.title} for radiology reports · radeval", f"{_about(spec)} {page.how}"
    )
    with gr.Blocks(title=f"radeval: {name}", analytics_enabled=False, delete_cache=DELETE_UPLOADS) as demo:
        html_block(navigation(name))
        gr.Markdown(f"# {page.title}\n{_about(spec)}\n\n**How to read it.** {page.how}", elem_id="about")
        config = gr.Dropdown(configs, value=configs[0], label="Config", visible=len(configs) > 1, interactive=True)
        with gr.Tabs():
            with gr.Tab("One pair", id="pair"):
                _pair_tab(spec, demo, config, page)
            with gr.Tab("A file of pairs", id="file"):
                _file_tab(spec, config)
        gr.Markdown(_links(spec))
    return demo


def _pair_tab(spec: MetricSpec, demo: gr.Blocks, config: gr.Dropdown, page: SpacePage) -> None:
    name, with_film = spec.name, page.film
    with_context = scorer_class(name).uses_context

    def score(
        reference: str, candidate: str, config: str = spec.default_config.name
    ) -> tuple[float | None, list[list[Any]], str, str]:
        """Score a candidate report against a reference report.

        Args:
            reference: the report to compare with.
            candidate: the report to score.
            config: one of the offered configs.

        Returns:
            The headline score, further numbers by name, the signature, and Python code that returns the same score.
        """
        # an untouched box sends null
        found = score_pair(name, reference or "", candidate or "", config, drawn=False)
        return found.headline, found.extras, found.signature, found.code

    def score_patient(
        reference: str,
        candidate: str,
        config: str = spec.default_config.name,
        age: str = "",
        sex: str = "",
        indication: str = "",
        history: str = "",
    ) -> tuple[float | None, list[list[Any]], str, str]:
        """Score a candidate report against a reference report of a patient.

        Args:
            reference: the report to compare with.
            candidate: the report to score.
            config: one of the offered configs.
            age: the patient's age, such as 75 or 3 months; optional.
            sex: the patient's sex; optional.
            indication: why the examination was made; optional.
            history: diseases, operations and earlier examinations; optional.

        Returns:
            The headline score, further numbers by name, the signature, and Python code that returns the same score.
        """
        known = context_from((age, sex, indication, history))
        found = score_pair(name, reference or "", candidate or "", config, drawn=False, context=known)
        return found.headline, found.extras, found.signature, found.code

    def show(reference: str, candidate: str, config: str, *more: str) -> tuple[Any, ...]:
        """Score a pair for the page and draw the view; `more` is the film, or the fields of the context."""
        image = film.from_data(more[0]) if with_film else None
        known = context_from(more) if with_context else None
        found = score_pair(name, reference or "", candidate or "", config, image, context=known, sheet=SHEET)
        return _shown(spec, found)

    offered, first = offered_examples(name), opening_example(name, page)
    start = _shown(spec, opening_pair(name, page))  # the models are loaded anyway
    with gr.Row(equal_height=True):
        reference = _report("Reference report", first.reference, "reference")
        candidate = _report("Candidate report", first.candidate, "candidate")
    context = context_fields(values=patient(name, first)) if with_context else []
    with gr.Row(elem_id="start"):
        button = gr.Button("Score (Ctrl+Enter)", variant="primary", elem_id="score", scale=1, min_width=180)
        with gr.Column(scale=5, min_width=300):
            examples = gr.Examples(
                [[e.reference, e.candidate, *patient(name, e)] for e in offered],
                [reference, candidate, *context],
                example_labels=[e.label for e in offered],
                label="Examples: the candidate is",
                examples_per_page=len(offered),
                cache_examples=False,
                api_visibility="private",
            )
    film_data = film.chooser() if with_film else None
    result = html_block(start[0], elem_id="result")
    view = html_block(start[1], elem_id="view")
    with gr.Accordion("Numbers, signature and code", open=False, elem_id="numbers"):
        extras = gr.Dataframe(
            start[2],
            headers=["number", "value"],
            datatype=["str", "number"],
            interactive=False,
            visible=bool(spec.parts),
        )
        signature = gr.Textbox(
            start[3], label="Signature: everything that can change the score", interactive=False, lines=2, max_lines=8
        )
        code = gr.Code(
            start[4],
            label="The same score in Python",
            language="python",
            interactive=False,
            wrap_lines=True,
            max_lines=14,
        )

    inputs = [reference, candidate, config, *([film_data] if film_data else []), *context]
    shown = {"inputs": inputs, "outputs": [result, view, extras, signature, code], "api_visibility": "private"}
    button.click(show, **shown, show_progress_on=[result])
    examples.load_input_event.then(show, **shown, show_progress_on=[result])
    # a link from another Space brings its pair along
    carrying = [reference, candidate, *context]
    demo.load(None, carrying, carrying, js=_CARRIED)
    # programs get plain values: the endpoint belongs to a hidden button
    label = f"{name} {spec.arrow} ({direction(spec)}, {spec.range_text})"
    value = gr.Number(label=label, visible=False)
    # with boxes of their own: those of the page hold an example, which is no default
    hidden = [gr.Textbox(visible=False, label=box.label) for box in (reference, candidate)]
    hidden += [gr.Textbox("", visible=False, label=box.label) for box in context]
    called = _as_tool(score_patient if with_context else score, name, "score")
    gr.Button(visible=False).click(
        called,
        [*hidden[:2], config, *hidden[2:]],
        [value, extras, signature, code],
        api_name="score",
        api_description=_tool_words("Score a candidate report against a reference report", spec),
    )
    if name in JUDGES:
        _errors_endpoint(spec, hidden[:2], config)


def _errors_endpoint(spec: MetricSpec, pair: list[gr.Textbox], config: gr.Dropdown) -> None:
    """Add the endpoint that names the errors behind a score."""

    def errors(reference: str, candidate: str, config: str = spec.default_config.name) -> dict[str, Any]:
        """Name the errors of a candidate report.

        Args:
            reference: the report to compare with.
            candidate: the report to score.
            config: one of the offered configs.

        Returns:
            The structures behind the score: every error with its category, severity and words, and what matches.
        """
        return dict(score_pair(spec.name, reference or "", candidate or "", config, drawn=False, detailed=True).detail)

    found = gr.JSON(label="Errors, matches and the numbers behind the score", visible=False)
    gr.Button(visible=False).click(
        _as_tool(errors, spec.name, "errors"),
        [*pair, config],
        found,
        api_name="errors",
        api_description=_tool_words("Name the errors of a candidate report and what matches", spec),
    )


def _as_tool(function: Callable[..., Any], name: str, what: str) -> Callable[..., Any]:
    """Give an endpoint the name that agents see: `green_score`."""
    function.__name__ = f"{name}_{what}"
    return function


def _tool_words(what: str, spec: MetricSpec) -> str:
    """Return what an agent reads about an endpoint: what it does, and which metric it is."""
    return f"{what} with {spec.name}: {spec.measures}. Range {spec.range_text}, {direction(spec)}."


def _shown(spec: MetricSpec, found: ScoredPair) -> tuple[Any, ...]:
    """Return what the page shows of a scored pair: headline, view, numbers, signature and code."""
    beside = "" if found.coverage is None else f"coverage {found.coverage:.2f}"
    return headline(spec, found.headline, beside), found.view, found.extras, found.signature, found.page_code


def _report(label: str, value: str, name: str) -> gr.Textbox:
    return gr.Textbox(value, label=label, lines=3, max_lines=12, min_width=300, elem_id=name)


def _file_tab(spec: MetricSpec, config: gr.Dropdown) -> None:
    name = spec.name

    def score_file(
        file: str,
        config: str = spec.default_config.name,
        progress: gr.Progress = gr.Progress(),  # noqa: B008
    ) -> tuple[float | None, dict[str, Any], str]:
        """Score every pair of a JSONL or CSV file with columns prediction, reference and optionally id.

        Args:
            file: the file; it is deleted from the server after it is read.
            config: one of the offered configs.
            progress: set by Gradio.

        Returns:
            The headline score, a table with the id and values of every pair, and the signature.
        """
        found = batch.score_file(name, file, config, progress)
        return found.headline, {"headers": found.columns, "data": found.rows}, found.signature

    def show(file: str, config: str, progress: gr.Progress = gr.Progress()) -> tuple[Any, ...]:  # noqa: B008
        """Score a file for the page; show the first rows and a download link."""
        found = batch.score_file(name, file, config, progress)
        rounded = [[round(v, 4) if isinstance(v, float) else v for v in row] for row in found.rows[: batch.SHOWN_ROWS]]
        rows = {"headers": found.columns, "data": rounded}
        left = len(found.rows) - batch.SHOWN_ROWS
        label = f"The first {batch.SHOWN_ROWS} rows; {left:,} more in the download" if left > 0 else "All rows"
        shown = gr.Dataframe(rows, label=label, visible=True)
        return None, found.summary, found.download, shown, gr.Textbox(found.signature, visible=True)

    gr.Markdown(
        "Upload a file with the columns `prediction`, `reference` and optionally `id`: at most "
        f"{batch.MAX_ROWS:,} rows and {batch.MAX_BYTES / 1e6:g} MB.{_context_columns(spec)} It is scored at once. The "
        "server deletes the "
        "upload after reading it; the results exist only on this page."
    )
    link = space_link("file_page", "file page")
    html_block(f'<p class="rv-more">Several metrics at once, the worst cases, two systems compared: the {link}.</p>')
    file = only_uploads(gr.File(label="JSONL or CSV", file_types=list(batch.SUFFIXES), height=140, elem_id="upload"))
    result = html_block(elem_id="file-result", min_height=60)
    download = html_block(elem_id="download")
    table = gr.Dataframe(label="Rows", interactive=False, visible=False, wrap=True)
    signature = gr.Textbox(label="Signature", interactive=False, visible=False)
    file.upload(
        show,
        [file, config],
        [file, result, download, table, signature],
        api_visibility="private",
        show_progress_on=[result],
    )
    value = gr.Number(label=f"{name} {spec.arrow}", visible=False)
    every_row = gr.Dataframe(label="Id and values of every pair", visible=False)
    gr.Button(visible=False).click(
        _as_tool(score_file, name, "score_file"),
        [file, config],
        [value, every_row, signature],
        api_name="score_file",
        api_description=_tool_words("Score every pair of a JSONL or CSV file", spec),
    )


def _context_columns(spec: MetricSpec) -> str:
    if not scorer_class(spec.name).uses_context:
        return ""
    return " The columns `age`, `sex`, `indication` and `history` are optional."


def _about(spec: MetricSpec) -> str:
    text = f"{spec.measures[:1].upper()}{spec.measures[1:]}. Range {spec.range_text}, {direction(spec)}."
    if demo_options(spec):
        text += (
            " It weights words by how rare they are in a test set. A single pair has no test set, so this page "
            f"counts words in the {2 * len(EXAMPLES)} reports of its examples."
        )
    return text


def _links(spec: MetricSpec) -> str:
    card = f"[Card: limits, values from papers, parity]({HUB}/{hub_org()}/{spec.name}/blob/main/README.md)"
    papers = " · ".join(f"[{url.removeprefix('https://')}]({url})" for url in spec.urls)
    return f"{card} · {papers}"
