"""Build the help on a metric's options from their declarations, for `evaluate` modules, cards and the terminal."""

from __future__ import annotations

from collections.abc import Mapping

from radeval_core.metrics.base import Option, Scorer
from radeval_core.registry import get_spec, metric_options, scorer_class

#: options that every metric takes in addition to its own: how it runs and how much it returns
RUN_OPTIONS = {
    "detailed": Option(False, bool, "also return the structures behind each score, under `details`"),
    "device": Option(None, str, "device of the models: cuda, mps or cpu; by default the best one available"),
    "batch_tokens": Option(None, int, "tokens per batch of a model; chosen for the device by default"),
    "cache": Option(None, str, "folder that keeps annotations and answers, encrypted, for later runs"),
    "lexicon": Option(None, str, "YAML file with further findings or regions for the findings parser"),
    "section": Option(None, str, "score one section of the reports, not the whole", ("findings", "impression", "both")),
}


#: option of metrics that use what is known about the patient; the others ignore it
CONTEXTS = Option(None, list, "one mapping per pair with age, sex, indication, history (all optional), or None")


def compute_options(name: str) -> dict[str, Option]:
    """Return all options of a metric's `compute` by name, the metric's own options first."""
    options = {**metric_options(name), **RUN_OPTIONS}
    if scorer_class(name).uses_context:
        options = {"contexts": CONTEXTS, **options}
    if scorer_class(name).reads_findings is Scorer.reads_findings:  # none of its configs uses the findings parser
        del options["lexicon"]
    return options


def value_text(option: Option) -> str:
    """Return the type or the choices of an option's value, and its default: `int, optional`."""
    kind = " | ".join(f'"{choice}"' for choice in option.choices) or option.type.__name__
    if option.default is None:
        return f"{kind}, optional"
    default = f'"{option.default}"' if isinstance(option.default, str) else option.default
    return f"{kind}, default {default}"


def inputs_text(name: str) -> str:
    """Return what `compute` takes and returns, as `evaluate` appends it to its docstring."""
    several = "; several as a list" if get_spec(name).multi_reference else ""
    options = "".join(f"    {key} ({value_text(o)}): {o.about}.\n" for key, o in compute_options(name).items())
    return f"""

Args:
    predictions: list of generated reports.
    references: list of reference reports, one per prediction{several}.
{options}
Returns:
    The headline under "{name}", one float per pair under "scores", further named numbers, and a "signature" with
    everything that can change the numbers.
"""


def card_list(options: Mapping[str, Option]) -> str:
    """Return the options as a Markdown list for the card."""
    return "".join(f"- `{key}` ({value_text(option)}): {option.about}.\n" for key, option in options.items())
