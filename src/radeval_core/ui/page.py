"""Lays out a metric's demo page: a tab for one pair, a tab for a file, and the typed endpoints for programs."""

from __future__ import annotations

from typing import Any

import gradio as gr

from radeval_core.metrics.spec import MetricSpec
from radeval_core.registry import get_spec, scorer_class
from radeval_core.ui import batch, film
from radeval_core.ui.configs import offered_configs
from radeval_core.ui.context_fields import context_fields, context_from
from radeval_core.ui.examples import CONTEXT_EXAMPLES, EXAMPLES
from radeval_core.ui.pair import demo_options, score_pair
from radeval_core.ui.score_header import direction, headline
from radeval_core.ui.space_page import FILE, SpacePage, hub_org, read_page, spaces_folder
from radeval_core.ui.upload_field import only_uploads

#: seconds between checks for uploads that were never scored, and their age in seconds when they are deleted
DELETE_UPLOADS = (60, 300)
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
    page = page or read_page(spaces_folder() / name / FILE)
    with gr.Blocks(title=f"radeval: {name}", analytics_enabled=False, delete_cache=DELETE_UPLOADS) as demo:
        gr.Markdown(f"# {page.title}\n{_about(spec)}\n\n**How to read it.** {page.how}")
        config = gr.Dropdown(configs, value=configs[0], label="Config", visible=len(configs) > 1, interactive=True)
        with gr.Tabs():
            with gr.Tab("One pair", id="pair"):
                _pair_tab(spec, config, page.film)
            with gr.Tab("A file of pairs", id="file"):
                _file_tab(spec, config)
        gr.Markdown(_links(spec))
    return demo


def _pair_tab(spec: MetricSpec, config: gr.Dropdown, with_film: bool) -> None:
    name = spec.name
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
        found = score_pair(name, reference or "", candidate or "", config, image, context=known)
        beside = "" if found.coverage is None else f"coverage {found.coverage:.2f}"
        return headline(spec, found.headline, beside), found.view, found.extras, found.signature, found.code

    with gr.Row(equal_height=True):
        reference = gr.Textbox(label="Reference report", lines=4, max_lines=14, min_width=300, elem_id="reference")
        candidate = gr.Textbox(label="Candidate report", lines=4, max_lines=14, min_width=300, elem_id="candidate")
    context = context_fields() if with_context else []
    offered = (*CONTEXT_EXAMPLES, *EXAMPLES) if with_context else EXAMPLES
    examples = gr.Examples(
        [[e.reference, e.candidate, *([e.age, e.sex, e.indication, e.history] if context else [])] for e in offered],
        [reference, candidate, *context],
        example_labels=[e.label for e in offered],
        label="Examples: the candidate is",
        cache_examples=False,
        api_visibility="private",
    )
    film_data = film.chooser() if with_film else None
    button = gr.Button("Score", variant="primary", elem_id="score")
    result = gr.HTML(elem_id="result")
    view = gr.HTML(elem_id="view")
    with gr.Accordion("More numbers", open=False, visible=bool(spec.parts)):
        extras = gr.Dataframe(headers=["number", "value"], datatype=["str", "number"], interactive=False)
    signature = gr.Textbox(
        label="Signature: everything that can change the score", interactive=False, lines=2, max_lines=8
    )
    code = gr.Code(
        label="The same score in Python", language="python", interactive=False, wrap_lines=True, max_lines=10
    )

    inputs = [reference, candidate, config, *([film_data] if film_data else []), *context]
    shown = {"inputs": inputs, "outputs": [result, view, extras, signature, code], "api_visibility": "private"}
    button.click(show, **shown, show_progress_on=[result])
    examples.load_input_event.then(show, **shown, show_progress_on=[result])
    # programs get plain values: the endpoint belongs to a hidden button
    label = f"{name} {spec.arrow} ({direction(spec)}, {spec.range_text})"
    value = gr.Number(label=label, visible=False)
    gr.Button(visible=False).click(
        score_patient if with_context else score,
        [reference, candidate, config, *context],
        [value, extras, signature, code],
        api_name="score",
    )


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
    file = only_uploads(gr.File(label="JSONL or CSV", file_types=list(batch.SUFFIXES), height=140, elem_id="upload"))
    result = gr.HTML(elem_id="file-result", min_height=60)
    download = gr.HTML(elem_id="download")
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
    gr.Button(visible=False).click(score_file, [file, config], [value, every_row, signature], api_name="score_file")


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
