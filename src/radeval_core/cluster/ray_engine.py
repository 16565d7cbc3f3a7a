"""Run a job on Ray: a Ray Data pipeline of runs over a pool of actors that hold the loaded metrics.

Only places of pairs go through Ray (file, first row, digests), never a report: Ray keeps objects in shared memory and
writes them to disk in clear when it is full. Actors read the files themselves. What the first pass gathers goes
through Ray encrypted, and its key through a file in the private folder of the parts.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from radeval_core import api
from radeval_core.cluster.job import ScoringJob
from radeval_core.cluster.plan import join_parts, keep_usable_parts, make_plan, open_folder, plan_runs
from radeval_core.cluster.survey import Survey, add_up, new_key, observed_digest, read_key, survey_file
from radeval_core.cluster.worker import PartPlan, Run, Worker
from radeval_core.errors import InputError, RadevalError, needs_extra
from radeval_core.metrics.base import Scorer
from radeval_core.shown_values import ShownValue

log = logging.getLogger(__name__)
#: bytes of Ray's shared memory on a cluster that we start: only places of pairs and document frequencies go there
_OBJECT_STORE = 256 << 20
#: judges that run elsewhere, and need no GPU here
_REMOTE = ("http:", "anthropic:")


@dataclass(frozen=True)
class RayScores:
    """The result of a job on Ray.

    Attributes:
        scores: as `api.score` returns them.
        empty_predictions: number of pairs whose prediction is empty.
        empty_references: number of pairs whose references are all empty.
        resumed: number of pairs that an earlier run had scored.
        folder: the folder of the parts.
    """

    scores: api.Scores
    empty_predictions: int
    empty_references: int
    resumed: int
    folder: Path


class SurveyActor:
    """Surveys files, one per call."""

    def __init__(self, job: ScoringJob, folder: str) -> None:
        self._job, self._folder = job, Path(folder)

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        """Return the survey of a file, or the error that ends the job."""
        return _caught(self._survey, batch["path"][0])

    def _survey(self, path: str) -> dict[str, Any]:
        return asdict(survey_file(self._job, path, read_key(self._folder)))


class ScoringActor:
    """Scores runs, one per call, with metrics that are loaded at the first."""

    def __init__(self, *arguments: Any) -> None:
        self._arguments = arguments
        self._worker: Worker | None = None

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        """Return the number of pairs of a run that is done, or the error that ends the job."""
        return _caught(self._do, batch["run"][0])

    def _do(self, plain: Mapping[str, Any]) -> int:
        if self._worker is None:  # not in the constructor: Ray would start an actor that fails there again and again
            self._worker = Worker(*self._arguments)
        parts = tuple(PartPlan(**part) for part in plain["parts"])
        return self._worker.do(Run(plain["path"], plain["start"], parts))


def _caught(do: Callable[[Any], Any], given: Any) -> dict[str, Any]:
    """Return what a function returns, or what it says is wrong: an error that crosses Ray is logged with its text."""
    import numpy as np

    row = np.empty(1, dtype=object)
    try:
        row[0] = {"found": do(given), "error": "", "input": False}
    except RadevalError as error:
        row[0] = {"found": None, "error": str(error) or type(error).__name__, "input": isinstance(error, InputError)}
    return {"row": row}


def score_on_ray(
    paths: Sequence[str],
    job: ScoringJob,
    shown: tuple[ShownValue, ...],
    folder: Path,
    workers: int,
    address: str | None = None,
    progress: bool = True,
) -> RayScores:
    """Score files of pairs on a Ray cluster; the result is that of `api.score` on the same pairs.

    Args:
        paths: the files; their pairs are taken in this order. Every worker must see them under the same path.
        job: what to score.
        shown: the numbers that `Scores.table` returns.
        folder: where parts are written, and found by the next run if this one is cut short; seen by every worker.
        workers: number of actors.
        address: an existing cluster, as `ray.init` takes it; a local one is started if not given.
        progress: show bars on a terminal.
    """
    if workers < 1:
        raise InputError(f"--workers must be at least 1, got {workers}")
    scorers = job.make_scorers()
    for scorer in scorers:
        api.announce(scorer.spec, scorer.config.name)
    with open_folder(folder):
        with _cluster(address, workers) as ray, new_key(folder) as key:
            surveys = _surveys(ray, paths, job, folder, workers, progress)
            observed = add_up(scorers, surveys, key)
            plan = make_plan(folder, job.digest(observed_digest(scorers, observed, key)), surveys)
            done = keep_usable_parts(plan)
            resumed = sum(part.size for part in plan.parts if part.number in done)
            runs = plan_runs(plan, done, workers)
            with tqdm(
                total=plan.pairs, initial=resumed, desc="scoring", unit="pair", disable=None if progress else True
            ) as bar:
                if runs:
                    rows = ray.data.from_items([{"run": asdict(run)} for run in runs], override_num_blocks=len(runs))
                    arguments = (job, str(folder), plan.job, observed)
                    gpus = gpus_per_worker(scorers, ray.cluster_resources())
                    for pairs in _answers(rows, ScoringActor, arguments, min(workers, len(runs)), gpus):
                        bar.update(pairs)
        scores = join_parts(plan, scorers, shown, progress)
    return RayScores(
        scores,
        sum(survey.empty_predictions for survey in surveys),
        sum(survey.empty_references for survey in surveys),
        resumed,
        folder,
    )


def _surveys(
    ray: Any, paths: Sequence[str], job: ScoringJob, folder: Path, workers: int, progress: bool
) -> list[Survey]:
    """Return the surveys of all files, in their order."""
    rows = ray.data.from_items([{"path": path} for path in paths], override_num_blocks=len(paths))
    found: dict[str, Survey] = {}
    with tqdm(total=len(paths), desc="reading", unit="file", disable=None if progress else True) as bar:
        for plain in _answers(rows, SurveyActor, (job, str(folder)), min(workers, len(paths)), 0):
            found[plain["path"]] = _survey_of(plain)
            bar.update()
    return [found[path] for path in paths]


def _survey_of(plain: Mapping[str, Any]) -> Survey:
    """Return a survey as it was before Ray turned its tuples into lists."""
    values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in plain.items()}
    return Survey(**values)


def _answers(rows: Any, actor: type, arguments: tuple[Any, ...], workers: int, gpus: float) -> Iterator[Any]:
    """Yield what the actors return; raise the first error that one of them reports."""
    from ray.data import ActorPoolStrategy

    done = rows.map_batches(
        actor,
        batch_size=1,
        compute=ActorPoolStrategy(size=workers),
        fn_constructor_args=arguments,
        num_cpus=1,
        num_gpus=gpus,
    )
    for answer in done.iter_rows():
        row = answer["row"]
        if row["error"]:
            raise (InputError if row["input"] else RadevalError)(row["error"])
        yield row["found"]


def gpus_per_worker(scorers: Sequence[Scorer], resources: Mapping[str, float]) -> float:
    """Return the GPUs of each actor: one if a metric runs a model and the cluster has GPUs, else none."""
    here = [scorer for scorer in scorers if not (scorer.checkpoint or "").startswith(_REMOTE)]
    runs_model = any(scorer.checkpoint or scorer.config.extra == "models" for scorer in here)
    return 1 if runs_model and resources.get("GPU", 0) >= 1 else 0


@contextmanager
def _cluster(address: str | None, workers: int) -> Iterator[Any]:
    """Connect to a cluster, or start one on this machine and stop it at the end."""
    # before Ray is imported: it reads them then. No usage statistics leave the machine.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_DATA_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # Ray Data warns about its own actors
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise needs_extra("ray", "--engine ray") from error
    if ray.is_initialized():
        raise InputError("Ray already runs in this process: call ray.shutdown() first")
    quiet = {"include_dashboard": False} if address is None else {}
    local = {"num_cpus": workers + 1, "object_store_memory": _OBJECT_STORE, **quiet} if address is None else {}
    if address is not None:
        _check_address(address)
    try:
        with _silent():
            ray.init(address=address or "local", log_to_driver=False, logging_level=logging.ERROR, **local)
    except (ConnectionError, ValueError, RuntimeError, OSError) as error:
        raise _unreachable(address, error) from error
    _quiet(ray)
    # Ray prints on stdout that a worker was lost, and replaces it; some of that comes when it is shut down
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        try:
            yield ray
        except ray.exceptions.RayError as error:
            raise RadevalError(
                f"Ray could not finish ({type(error).__name__}): the logs of the cluster say more. Start again with "
                "the same command: parts that are written are not scored again"
            ) from None
        finally:
            ray.shutdown()


def _check_address(address: str) -> None:
    """Fail at once if nobody listens at HOST:PORT: Ray would try for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon:  # `auto` or `local`
        return
    try:
        with socket.create_connection((host, int(port)), timeout=10):
            return
    except (OSError, ValueError, OverflowError) as error:
        raise _unreachable(address, error) from error


def _unreachable(address: str | None, error: Exception) -> RadevalError:
    where = f"the Ray cluster at {address}" if address else "a local Ray cluster"
    return RadevalError(f"cannot reach {where} ({type(error).__name__}): check --ray-address, or start Ray there")


@contextmanager
def _silent() -> Iterator[None]:
    """Drop what C++ writes to stderr while the block runs: how it was told to log."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _quiet(ray: Any) -> None:
    """Switch off Ray Data's own bars and notes: ours show the progress."""
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    for name in ("ray", "ray.data"):
        logging.getLogger(name).setLevel(logging.ERROR)
