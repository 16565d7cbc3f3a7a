"""The fixed texts of the leaderboard page: how to submit, and how submissions are scored."""

from __future__ import annotations

import base64
import json
from importlib import resources

from radeval_core.html_text import text
from radeval_core.leaderboard.benchmark import Benchmark
from radeval_core.registry import get_spec, metric_value
from radeval_core.ui.score_header import direction


def instructions(benchmark: Benchmark) -> str:
    """Return the instructions as HTML, with a download of the studies that is part of the page."""
    limits = benchmark.limits
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in benchmark.inputs())
    data = base64.b64encode(lines.encode()).decode("ascii")
    layout = (
        '{"system": {"name": "My system", "link": "https://example.org/model", "training_data": "…"}}\n'
        f'{{"id": "{next(iter(benchmark.studies))}", "prediction": "The report your system writes."}}\n…'
    )
    return (
        '<div class="rv"><p><b>1.</b> '
        f'<a download="{text(benchmark.name)}_studies.jsonl" href="data:application/jsonl;base64,{data}" '
        'class="lb-out">'
        f"Download the {len(benchmark.studies)} studies</a>. They contain what a system may see. "
        "<b>2.</b> Let your system write one report per study. "
        "<b>3.</b> Upload one JSONL file. It is checked at once.</p>"
        f'<pre class="report" style="white-space:pre-wrap;margin-bottom:10px">{text(layout)}</pre>'
        f'<p class="note">At most {limits.file_bytes / 1e6:g} MB, {limits.report_characters:,} characters per report '
        f"and {limits.name_characters} per name. Names are shown as plain text. The first submission under a name gets "
        "a secret, which later ones under this name need. <b>Do not submit patient data or private reports:</b> "
        "the server keeps predictions, and the page shows the worst of them and where systems differ.</p></div>"
    )


def method(benchmark: Benchmark, scores_here: bool) -> str:
    """Return how submissions are scored, as Markdown; it contains no text from submitters."""
    rows = []
    for name, config in benchmark.metrics.items():
        value = metric_value(name)
        spec = get_spec(value.metric)
        about = spec.parts[value.key].about if value.is_part else spec.measures
        rows.append(f"- `{name}` {value.arrow} ({config}, {direction(value)}): {about}")
    template = resources.files(__package__).joinpath("method.md").read_text("utf-8")
    return template.format(
        about=benchmark.about,
        name=benchmark.name,
        revision=benchmark.revision,
        studies=len(benchmark.studies),
        given=", ".join(next(iter(benchmark.studies.values())).given),
        metrics="\n".join(rows),
        main=benchmark.main_metric,
        when=" at once" if scores_here else " when `radeval leaderboard score` next runs",
    )
