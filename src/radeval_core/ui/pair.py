"""Scores one pair for a page, and turns problems into errors that the page can show.

Reports are patient data: the page neither logs nor keeps what visitors type, and never renders it as markup.
"""

from __future__ import annotations

import html
import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import gradio as gr

from radeval_core.api import load
from radeval_core.errors import RadevalError
from radeval_core.metrics.spec import MetricSpec
from radeval_core.pairs import is_blank
from radeval_core.registry import get_spec, scorer_class
from radeval_core.ui.coverage_view import draw_coverage
from radeval_core.ui.examples import EXAMPLES
from radeval_core.ui.space_page import hub_org
from radeval_core.ui.views import draw

log = logging.getLogger(__name__)
T = TypeVar("T")

#: maximum characters per report; the longest real reports have a few thousand
MAX_CHARACTERS = 20_000


@dataclass(frozen=True)
class ScoredPair:
    """A metric's result for one pair.

    Attributes:
        headline: the score; None if the pair could not be scored.
        extras: further numbers by name.
        signature: everything that can change the score.
        code: Python code that returns the same score, with the module on the Hub.
        page_code: the same as two scripts that print it; the first needs the package or a checkout, not the Hub.
        view: an HTML explanation of the score, or of why there is none.
        coverage: the share of the pair that the findings parser understood; None if the config does not use it.
        detail: the structures behind the score, if asked for.
    """

    headline: float | None
    extras: list[list[Any]]
    signature: str
    code: str
    page_code: str
    view: str
    coverage: float | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)


def score_pair(
    name: str,
    reference: str,
    candidate: str,
    config: str | None = None,
    film: Any = None,
    drawn: bool = True,
    context: Mapping[str, str] | None = None,
    sheet: str = "",
    detailed: bool = False,
) -> ScoredPair:
    """Score a pair, or raise an error that a page can show.

    Args:
        name: the metric.
        reference: the report to compare with.
        candidate: the report to score.
        config: a config of the metric; None for the default.
        film: an image to draw on, for metrics that draw boxes.
        drawn: if True, also draw the view.
        context: what is known about the patient, for metrics that use it.
        sheet: the name of the marked-up report in the view; empty if the page shows it elsewhere.
        detailed: if True, return the structures behind the score.
    """
    spec = get_spec(name)
    options = demo_options(spec)
    _check_texts(reference, candidate)

    def compute() -> ScoredPair:
        # load the metric again, so that annotations of one visitor's reports are not kept for the next visitor
        metric = load(name, config, progress=False, **options)
        result = metric.compute(
            [candidate], [reference], detailed=drawn or detailed, contexts=[context] if context else None
        )
        extras = [[key, number(v)] for key, v in result.items() if isinstance(v, float) and key != name]
        covered = result.get("coverage", [None])[0]
        drawing = {**options, "sheet": sheet, "context": context, **({} if film is None else {"film": film})}
        view = _explain(name, result["details"][0], reference, candidate, drawing) if drawn else ""
        code = python_line(spec, reference, candidate, config, context)
        shown = page_code(spec, reference, candidate, config, context)
        detail = result["details"][0] if detailed else {}
        return ScoredPair(number(result[name]), extras, result["signature"], code, shown, view, covered, detail)

    return guarded(name, compute, "this pair could not be scored")


def _explain(name: str, detail: Mapping[str, Any], reference: str, candidate: str, options: Mapping[str, Any]) -> str:
    """Draw the view of a metric, and the coverage if the config uses the findings parser."""
    if "coverage" not in detail:
        return draw(name, detail, reference, candidate, options)
    coverage = draw_coverage(detail["coverage"], detail["reason"], reference, candidate)
    return coverage if detail["reason"] else draw(name, detail, reference, candidate, options) + coverage


def guarded(name: str, work: Callable[[], T], failure: str) -> T:
    """Run `work`; turn any failure into an error that a page shows as text, without logging report text."""
    try:
        return work()
    except gr.Error:
        raise
    except RadevalError as error:
        raise page_error(str(error)) from None
    except Exception as error:  # its message and traceback may quote a report: log only the type
        log.error("%s: scoring failed with %s", name, type(error).__name__)
        raise page_error(failure) from None


def page_error(message: str) -> gr.Error:
    """Return an error that the page shows as text and the log does not contain.

    Quotes stay as they are: clients of the endpoint show the message without reading it as HTML.
    """
    return gr.Error(html.escape(message, quote=False), print_exception=False)


def demo_options(spec: MetricSpec) -> dict[str, Any]:
    """Return the demo's options: a metric that counts words in a test set counts them in the examples."""
    if spec.two_pass and "corpus" in scorer_class(spec.name).options:
        return {"corpus": [text for e in EXAMPLES for text in (e.reference, e.candidate)]}
    return {}


def python_line(
    spec: MetricSpec,
    reference: str,
    candidate: str,
    config: str | None = None,
    context: Mapping[str, str] | None = None,
) -> str:
    """Return Python code that computes the score shown on the page."""
    options: Mapping[str, Any] = {**demo_options(spec), **({"contexts": [dict(context)]} if context else {})}
    module = f'"{hub_org()}/{spec.name}"'
    if config not in (None, spec.default_config.name):
        if any(c.name == config for c in spec.configs):
            module += f', "{config}"'
        else:
            options = {**options, "checkpoint": config}
    given = "".join(f", {key}={value!r}" for key, value in options.items())
    call = f"compute(predictions=[{candidate!r}], references=[{reference!r}]{given})"
    return f'import evaluate\nevaluate.load({module}).{call}["{spec.name}"]'


def page_code(
    spec: MetricSpec,
    reference: str,
    candidate: str,
    config: str | None = None,
    context: Mapping[str, str] | None = None,
) -> str:
    """Return Python code that prints the score with the installed package or in a checkout, then from the Hub."""
    chosen = "" if config in (None, spec.default_config.name) else f", {config!r}"
    options = "".join(f", {key}={value!r}" for key, value in demo_options(spec).items())
    known = f", contexts=[{dict(context)!r}]" if context else ""
    call = f"compute([{candidate!r}], [{reference!r}]{known})"
    imported, line = python_line(spec, reference, candidate, config, context).split("\n")
    return (
        "# with the installed package, or in a checkout\nfrom radeval_core import load\n"
        f'print(load("{spec.name}"{chosen}{options}).{call}["{spec.name}"])\n\n'
        f"# from the Hub\n{imported}\nprint({line})"
    )


def number(value: float) -> float | None:
    """Return None for NaN, which JSON cannot represent; an unscored pair has NaN."""
    return None if math.isnan(value) else value


def _check_texts(reference: str, candidate: str) -> None:
    """Raise a page error if the pair cannot be scored."""
    if is_blank(reference) and is_blank(candidate):
        raise page_error("both reports are empty: write or paste a reference and a candidate, or click an example")
    for what, text in (("reference", reference), ("candidate", candidate)):
        check_length(f"the {what}", text)


def check_length(what: str, text: str) -> None:
    """Raise a page error if a report is too long."""
    if len(text) > MAX_CHARACTERS:
        raise page_error(f"{what} has {len(text):,} characters; the maximum here is {MAX_CHARACTERS:,}")
