"""The demo of one metric: a reference, a candidate, and the number with everything needed to repeat it.

Reports are patient data: nothing typed into the page is logged, kept in a history, sent to analytics or rendered as
HTML or Markdown.
"""

from __future__ import annotations

import html
import logging
import math
from typing import Any, NamedTuple

import gradio as gr

from radeval_core.api import load
from radeval_core.errors import RadevalError
from radeval_core.pairs import is_blank
from radeval_core.registry import get_spec, scorer_class
from radeval_core.spec import MetricSpec

log = logging.getLogger(__name__)

#: characters of a report; the longest real reports have some thousands
MAX_CHARACTERS = 20_000


class Example(NamedTuple):
    """A pair to try, and what is right or wrong with its candidate."""

    label: str
    reference: str
    candidate: str


EXAMPLES = (
    Example(
        "right, in other words",
        "The heart is normal in size. The lungs are clear. No pleural effusion or pneumothorax.",
        "Normal heart size. Clear lungs. There is no pneumothorax or pleural effusion.",
    ),
    Example(
        "negated",
        "Small left pleural effusion with adjacent atelectasis. The heart is mildly enlarged.",
        "No left pleural effusion. No atelectasis. The heart is mildly enlarged.",
    ),
    Example(
        "wrong side",
        "Moderate right apical pneumothorax. The right chest tube has been removed.",
        "Moderate left apical pneumothorax. The left chest tube has been removed.",
    ),
    Example(
        "omission",
        "Consolidation in the right lower lobe, likely pneumonia. A nodule of 8 mm projects over the left upper lobe.",
        "Consolidation in the right lower lobe, likely pneumonia.",
    ),
)


def build_demo(name: str) -> gr.Blocks:
    """The page of a metric, with one typed endpoint, `/score`."""
    spec = get_spec(name)
    options = demo_options(spec)
    load(name, **options)  # a metric that cannot run fails here, not on a visitor's click

    def score(reference: str, candidate: str) -> tuple[float | None, list[list[Any]], str, str]:
        """Score a candidate report against a reference report.

        Args:
            reference: the report to compare with.
            candidate: the report to score.

        Returns:
            The headline, further numbers by name, the signature, and Python that gives the same number.
        """
        reference, candidate = reference or "", candidate or ""  # an untouched box sends null
        _check_texts(reference, candidate)
        try:
            # loaded anew, so that annotations of one visitor's reports are not kept for the next
            result = load(name, progress=False, **options).compute([candidate], [reference])
        except RadevalError as error:
            raise _page_error(str(error)) from None
        except Exception as error:  # its text and traceback may quote a report, so only its kind is logged
            log.error("%s: scoring failed with %s", name, type(error).__name__)
            raise _page_error("this pair could not be scored") from None
        extras = [[key, _number(v)] for key, v in result.items() if isinstance(v, float) and key != name]
        return _number(result[name]), extras, result["signature"], python_line(spec, reference, candidate)

    with gr.Blocks(title=f"radeval: {name}", analytics_enabled=False) as demo:
        gr.Markdown(f"# {name}\n{spec.measures[:1].upper()}{spec.measures[1:]}. {_about(spec)}")
        with gr.Row():
            reference = gr.Textbox(label="Reference report", lines=6, max_lines=20)
            candidate = gr.Textbox(label="Candidate report", lines=6, max_lines=20)
        gr.Examples(
            [[e.reference, e.candidate] for e in EXAMPLES],
            [reference, candidate],
            example_labels=[e.label for e in EXAMPLES],
            label="Pairs to try: the candidate is",
            cache_examples=False,
            api_visibility="private",
        )
        button = gr.Button("Score", variant="primary")
        headline = gr.Number(label=f"{name} {spec.arrow} ({direction(spec)}, {spec.range_text})", interactive=False)
        extras = gr.Dataframe(
            headers=["number", "value"],
            datatype=["str", "number"],
            label="More numbers",
            interactive=False,
            visible=bool(spec.parts),
        )
        signature = gr.Textbox(label="Signature: everything that can move the number", interactive=False)
        code = gr.Code(label="The same number in Python", language="python", interactive=False, wrap_lines=True)
        button.click(score, [reference, candidate], [headline, extras, signature, code], api_name="score")
    return demo


def launch(demo: gr.Blocks | str, **options: Any) -> Any:
    """Serve a demo, or the demo of the metric of that name, with the collection's theme.

    Options go to `gr.Blocks.launch`. Gradio's history of runs is off: it would keep reports in the browser.
    """
    page = build_demo(demo) if isinstance(demo, str) else demo
    return page.launch(theme=gr.themes.Soft(), run_history=False, **options)


def direction(spec: MetricSpec) -> str:
    """Which way is better, in words."""
    return "higher is better" if spec.higher_is_better else "lower is better"


def demo_options(spec: MetricSpec) -> dict[str, Any]:
    """Options of the demo: a metric that counts words in a whole test set gets the example texts to count in."""
    if spec.two_pass and "corpus" in scorer_class(spec.name).options:
        return {"corpus": [text for e in EXAMPLES for text in (e.reference, e.candidate)]}
    return {}


def python_line(spec: MetricSpec, reference: str, candidate: str) -> str:
    """Python that gives the number of the page."""
    options = "".join(f", {key}={value!r}" for key, value in demo_options(spec).items())
    call = f"compute(predictions=[{candidate!r}], references=[{reference!r}]{options})"
    return f'import evaluate\nevaluate.load("radeval/{spec.name}").{call}["{spec.name}"]'


def _about(spec: MetricSpec) -> str:
    text = f"Range {spec.range_text}, {direction(spec)}. Config: {spec.default_config.name}."
    if demo_options(spec):
        text += (
            " It weighs words by how rare they are in a whole test set, which a single pair does not have: "
            f"this page counts in the {2 * len(EXAMPLES)} reports of its examples instead."
        )
    return text


def _check_texts(reference: str, candidate: str) -> None:
    """Refuse what the page cannot score, in words for the page."""
    if is_blank(reference) and is_blank(candidate):
        raise _page_error("both reports are empty: write or paste a reference and a candidate, or pick a pair to try")
    for what, text in (("reference", reference), ("candidate", candidate)):
        if len(text) > MAX_CHARACTERS:
            raise _page_error(f"the {what} has {len(text):,} characters: at most {MAX_CHARACTERS:,} can be scored here")


def _page_error(message: str) -> gr.Error:
    """An error shown on the page as text and not printed in the log."""
    return gr.Error(html.escape(message), print_exception=False)


def _number(value: float) -> float | None:
    """A number as JSON can carry it: an unscored pair has none."""
    return None if math.isnan(value) else value
