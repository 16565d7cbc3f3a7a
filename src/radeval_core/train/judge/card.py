"""Write the card of a trained judge from its run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from radeval_core.train.answer_forms import FORMS
from radeval_core.train.judge.figures import MEASURES
from radeval_core.train.judge.recipes import recipe_source
from radeval_core.train.model_card import ModelCard
from radeval_core.train.plan import in_bytes, in_words
from radeval_core.train.rows import INJECTED

#: options without which a metric would ask the judge another question than in training
ASK_AS_TRAINED = {"crimson": ["--option crimson.instructions=checkpoint"]}
#: what each judge in the results is, in the order of the tables
JUDGES = {
    "trained": "this model",
    "base": "untrained model",
    "embedded": "embedded judge",
    "silent": "no errors, always",
}
_FACTS = ("kind", "metric", "base", "data_sha256", "prompt")


def use_command(metric: str, folder: str = "./FOLDER") -> str:
    """Return the command that scores pairs with a trained judge, asked as in its training."""
    parts = [
        f"radeval score pairs.jsonl --metrics {metric}",
        f"--config {metric}={folder}",
        *ASK_AS_TRAINED.get(metric, []),
    ]
    return " ".join(parts)


def judge_card(settings: Mapping[str, Any], results: Mapping[str, Any], base: str, licence: str) -> ModelCard:
    """Return the card.

    Args:
        settings: the run's settings.
        results: the run's results.
        base: name of the model it was trained from.
        licence: licence of the weights.
    """
    metric = settings["metric"]
    recipe = {name: value for name, value in settings.items() if name not in _FACTS}
    return ModelCard(
        title=f"{metric} judge from {base}",
        about=f"A judge for the metric `{metric}` of radeval: it compares a generated radiology report with a "
        "reference and counts the errors. It writes the answers that the metric reads.",
        base=base,
        licence=licence,
        task="text-generation",
        use=use_command(metric),
        data=_data(settings, results),
        recipe={"recipe": f"{settings['recipe']} ({recipe_source(settings['recipe'])})"}
        | {name: value for name, value in recipe.items() if name != "recipe"},
        figures=figure_tables(metric, results),
        limits=_limits(results),
        tags=(metric,),
    )


def figure_tables(metric: str, results: Mapping[str, Any]) -> list[tuple[str, Sequence[str], list[tuple[Any, ...]]]]:
    """Return the figures as tables: title, columns and rows; one row per judge, then per category."""
    judges = {JUDGES[name]: results["judges"][name] for name in JUDGES if name in results["judges"]}
    measured = {
        **MEASURES,
        "errors_error": "error of the number of errors",
        "matched_error": "error of matched findings",
    }
    tables: list[tuple[str, Sequence[str], list[tuple[Any, ...]]]] = [
        (
            f"Figures on {_pairs(results)} held-out pairs",
            ("judge", *measured.values()),
            [(name, *(found["figures"][key] for key in measured)) for name, found in judges.items()],
        ),
        (
            "Mean count error per category",
            ("category", *judges),
            [
                (
                    category.replace("_", " "),
                    *(found["figures"]["categories"][category]["error"] for found in judges.values()),
                )
                for category in FORMS[metric].categories
            ],
        ),
        (
            "Cost per 1,000 pairs",
            ("judge", "seconds", "tokens of questions", "tokens of answers"),
            [
                (name, *(_rounded(found["cost"].get(key)) for key in ("seconds", "prompt_tokens", "answer_tokens")))
                for name, found in judges.items()
                if found["cost"]
            ],
        ),
    ]
    if "experts" in results:
        tables.append(expert_table(results["experts"]))
    return tables


def expert_table(experts: Mapping[str, Any]) -> tuple[str, Sequence[str], list[tuple[Any, ...]]]:
    """Return the agreement with experts as a table: Kendall's tau of each measure, with its interval."""
    judges = experts["judges"]
    keys = [key for key, found in judges["trained"].items() if isinstance(found, dict) and "ci95" in found]
    rows = [
        (key.replace("_", " "), *(_interval(judges[name].get(key)) for name in JUDGES if name in judges))
        for key in keys
    ]
    return (
        f"Agreement with experts ({experts['data']})",
        ("measure", *(JUDGES[n] for n in JUDGES if n in judges)),
        rows,
    )


def _data(settings: Mapping[str, Any], results: Mapping[str, Any]) -> list[str]:
    rows = ", ".join(f"{count:,} {split}" for split, count in results["rows"].items())
    lines = [
        f"pairs: {rows}; all pairs of a study are in one split",
        f"answers by: {', '.join(results['teachers'])}",
        f"training file: sha256 `{settings['data_sha256']}`; question: `{settings['prompt']}`",
        f"training: {results['steps']} of {results['planned_steps']} planned steps, {_time(results['seconds'])}, "
        f"at most {in_bytes(results['memory_bytes'])} of memory",
    ]
    if results["left_out"]:
        lines.append(f"{results['left_out']} rows were left out because they were too long")
    return lines


def _limits(results: Mapping[str, Any]) -> list[str]:
    figures = results["judges"]["trained"]["figures"]
    limits = [
        "The figures are agreement with the answers of the training file, not with radiologists, unless a table says "
        "so. Run `radeval bench` with expert numbers before you rely on the judge.",
        f"{1 - figures['readable']:.0%} of the held-out answers are unreadable: such pairs get no score.",
        "It was trained on the language, the kind of study and the style of its training reports only.",
        "It is for research on report generation, not for decisions about patients.",
    ]
    if INJECTED in results["teachers"]:
        limits.insert(
            1,
            "Its pairs have errors that rules put into reports. They teach the form of the answer and single, clear "
            "errors; they do not teach the errors that real systems make, nor which of them matter clinically.",
        )
    return limits


def _pairs(results: Mapping[str, Any]) -> int:
    return int(results["judges"]["trained"]["figures"]["pairs"])


def _interval(found: Mapping[str, Any] | None) -> str | None:
    if not found or found.get("value") is None:
        return None
    low, high = found["ci95"]
    return f"{found['value']:.3f} ({low:.3f} to {high:.3f})"


def _rounded(value: float | None) -> int | None:
    return None if value is None else round(value)


def _time(seconds: float | None) -> str:
    return "time unknown" if seconds is None else in_words(seconds)
