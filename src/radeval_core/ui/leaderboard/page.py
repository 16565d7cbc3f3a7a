"""Builds the leaderboard page: ranking, systems, comparison, submission, method."""

from __future__ import annotations

import os
from importlib import resources
from typing import Any

import gradio as gr

from radeval_core.error_categories import CATEGORIES, in_words
from radeval_core.html_text import text
from radeval_core.leaderboard.benchmark import DEFAULT, Benchmark, load_benchmark
from radeval_core.leaderboard.store import Store, open_store
from radeval_core.ui.demo import page_options
from radeval_core.ui.html_block import html_block
from radeval_core.ui.leaderboard.part import choices
from radeval_core.ui.leaderboard.submitting import Submitting
from radeval_core.ui.leaderboard.texts import method
from radeval_core.ui.leaderboard.visits import Visits
from radeval_core.ui.leaderboard.withdraw import Withdrawal
from radeval_core.ui.navigation import navigation
from radeval_core.ui.page import DELETE_UPLOADS
from radeval_core.ui.page_head import describe_page

_READING = (
    "Scores with 95 % intervals; ↑ higher is better, ↓ lower is better. Systems with the **same rank do not differ "
    "significantly** in a paired test. A click on the name of a metric ranks by it. **Bold** is the best score of a "
    "column."
)
_DESCRIPTION = (
    "Systems that write radiology reports, ranked only where a paired test tells them apart, with signatures, "
    "intervals and their worst cases."
)
_NO_CATEGORY = "all errors (worst score first)"
#: visitors who can wait for the baselines of a new board at the same time
_WATCHERS = 60
#: what a link on the page asks for; see leaderboard.js
_CONNECT = """const connect = () => window.leaderboard ? window.leaderboard.connect(trigger) : setTimeout(connect, 20);
connect();"""
#: Gradio sends `load` before the script of the page has run
_ADDRESS = """async () => {
  while (!window.leaderboard) await new Promise((resolve) => setTimeout(resolve, 10));
  return window.leaderboard.address();
}"""


def build_leaderboard(store: Store | None = None, benchmark: Benchmark | None = None) -> gr.Blocks:
    """Build the page, with the endpoints `/leaderboard`, `/check`, `/submit` and `/withdraw`.

    By default the store is the Hub organisation in RADEVAL_LEADERBOARD_HUB, or the default folder if that is not set.
    The first visit to an empty folder adds the benchmark's baselines.
    """
    return _build(
        store or open_store(hub=os.environ.get("RADEVAL_LEADERBOARD_HUB")),
        benchmark or load_benchmark(os.environ.get("RADEVAL_BENCHMARK", DEFAULT)),
    )


def leaderboard_options() -> dict[str, Any]:
    """Return the options to serve the page with: the shared ones plus the leaderboard's style and script."""
    shared = page_options()
    head = shared["head"].replace("</style>", f"{_file('style.css')}</style>", 1)
    return {**shared, "head": head, "js": f"() => {{ ({shared['js']})(); {_file('leaderboard.js')}; }}"}


def _build(store: Store, benchmark: Benchmark) -> gr.Blocks:
    visits = Visits(store, benchmark)
    submitting = Submitting(visits)
    withdrawal = Withdrawal(store, benchmark)
    metrics = list(benchmark.metrics)
    describe_page(
        "leaderboard", "radeval: leaderboard", "Leaderboard of radiology report generators · radeval", _DESCRIPTION
    )
    with gr.Blocks(title="radeval: leaderboard", analytics_enabled=False, delete_cache=DELETE_UPLOADS) as demo:
        html_block(navigation("leaderboard"))
        router = html_block("", elem_id="lb-router", js_on_load=_CONNECT)
        gr.Markdown(f"# Leaderboard: {benchmark.title}\n{benchmark.summary}", elem_id="lb-head")
        address, tab = gr.Textbox(visible=False), gr.Textbox("ranking", visible=False)
        with gr.Tabs(selected="ranking", elem_id="lb-tabs") as tabs:
            with gr.Tab("Ranking", id="ranking") as ranking_tab:
                with gr.Row():
                    metric = gr.Dropdown(metrics, value=metrics[0], label="Rank by", elem_id="metric", min_width=200)
                    part = gr.Dropdown(choices(benchmark), value="", label="Studies", elem_id="part", min_width=200)
                html_block(_tools(benchmark))
                gr.Markdown(_READING)
                table = html_block(elem_id="ranking-table")
                plot = gr.HTML(elem_id="plot")
                others = gr.HTML(elem_id="notes")
                cite = html_block(elem_id="cite")
            with gr.Tab("Systems", id="systems") as systems_tab:
                system = gr.Dropdown([], label="System", elem_id="system")
                about = html_block(elem_id="about-system")
                kinds = [(_NO_CATEGORY, ""), *((in_words(key), key) for key in CATEGORIES)]
                category = gr.Dropdown(kinds, value="", label="Worst cases by", elem_id="category")
                cases = html_block(elem_id="cases")
            with gr.Tab("Compare", id="compare") as compare_tab:
                with gr.Row():
                    first = gr.Dropdown([], label="System A", elem_id="first", min_width=260)
                    second = gr.Dropdown([], label="System B", elem_id="second", min_width=260)
                    differ = gr.Dropdown(metrics, value=metrics[0], label="Cases by", elem_id="differ", min_width=260)
                compared = html_block(elem_id="compared")
            with gr.Tab("Submit", id="submit") as submit_tab:
                file, secret, verdict, button = submitting.add_fields()
                result = html_block(elem_id="result")
                unwanted, owner_secret, take_off, answer = withdrawal.add_fields()
            with gr.Tab("Method", id="method") as method_tab:
                gr.Markdown(method(benchmark, visits.scores_here))

        shown = [tab, metric, part, system, first, second]
        everything = [tabs, *shown, table, plot, others, cite, about, cases, compared]
        private: dict[str, Any] = {"api_visibility": "private"}
        after: dict[str, Any] = {
            "fn": None,
            "inputs": shown,
            "outputs": None,
            "js": "(...v) => leaderboard.shown(...v)",
        }

        demo.load(
            visits.arrive,
            [address],
            everything,
            js=_ADDRESS,
            concurrency_limit=_WATCHERS,
            show_progress="hidden",
            **private,
        ).then(**after)
        router.click(visits.follow, [tab, category, differ], everything, show_progress="hidden", **private).then(
            **after
        )
        gr.on([metric.input, part.input], visits.rank, [metric, part], [table, plot, others], **private).then(**after)
        look: dict[str, Any] = {"inputs": [system, category], "outputs": [about, cases], **private}
        gr.on([system.input, category.input], visits.system, **look).then(**after)
        compare: dict[str, Any] = {"inputs": [first, second, differ], "outputs": [compared], **private}
        gr.on([first.input, second.input, differ.input], visits.compare, **compare).then(**after)
        for place in (ranking_tab, systems_tab, compare_tab, submit_tab, method_tab):
            chosen = place.select(lambda name=place.id: name, None, [tab], queue=False, **private)
            if place is systems_tab:
                chosen = chosen.then(visits.system, **look)
            elif place is compare_tab:
                chosen = chosen.then(visits.compare, **compare)
            chosen.then(**after)

        file.upload(submitting.show_check, [file], [file, verdict, button], **private)
        file.clear(lambda: ("", gr.Button(interactive=False), ""), None, [verdict, button, result], **private)
        entered = gr.State("")
        button.click(
            submitting.show_submit,
            [file, secret],
            [file, verdict, button, entered],
            concurrency_limit=1,
            concurrency_id="scoring",
            show_progress_on=[verdict],
            **private,
        ).then(
            visits.result, [entered, metric, part], [result, system, first, second, table, plot, others], **private
        ).then(**after)
        take_off.click(withdrawal.show, [unwanted, owner_secret], [answer], **private).then(
            visits.reload, shown, everything, show_progress="hidden", **private
        )
        # endpoints, which return plain values to programs, on hidden buttons
        plain = gr.JSON(visible=False)
        gr.Button(visible=False).click(visits.leaderboard, [metric], [plain], api_name="leaderboard")
        gr.Button(visible=False).click(submitting.check, [file], [plain], api_name="check")
        gr.Button(visible=False).click(
            submitting.submit, [file, secret], [plain], api_name="submit", concurrency_limit=1, concurrency_id="scoring"
        )
        gr.Button(visible=False).click(withdrawal.withdraw, [unwanted, secret], [plain], api_name="withdraw")
    return demo


def _tools(benchmark: Benchmark) -> str:
    """Return the filter by name and the buttons above the table; leaderboard.js makes them work."""
    return (
        f'<div id="lb-tools" data-name="{text(benchmark.name)}"><label>Find a system'
        '<input type="search" id="lb-find" autocomplete="off" spellcheck="false"></label>'
        '<button type="button" class="lb-button" id="lb-csv">Download CSV</button>'
        '<button type="button" class="lb-button" id="lb-share">Copy a link</button>'
        '<input id="lb-link" readonly hidden aria-label="Link to what is shown">'
        '<span id="lb-status" role="status"></span></div>'
    )


def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")
