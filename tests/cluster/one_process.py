"""Run a job as the Ray engine does, part by part, but in this process."""

from radeval_core.cluster.plan import join_parts, keep_usable_parts, make_plan, open_folder, plan_runs
from radeval_core.cluster.survey import add_up, new_key, observed_digest, survey_file
from radeval_core.cluster.worker import Worker
from radeval_core.shown_values import shown_value


def score_in_parts(job, paths, folder, workers=2):
    """Return the result, and the runs that were done."""
    scorers = job.make_scorers()
    with open_folder(folder), new_key(folder) as key:
        surveys = [survey_file(job, str(path), key) for path in paths]
        observed = add_up(scorers, surveys, key)
        plan = make_plan(folder, job.digest(observed_digest(scorers, observed, key)), surveys)
        runs = plan_runs(plan, keep_usable_parts(plan), workers)
        workers = [Worker(job, str(folder), plan.job, observed) for _ in range(workers if runs else 0)]
        for number, run in enumerate(runs):
            assert workers[number % len(workers)].do(run) == run.pairs
        return join_parts(plan, scorers, tuple(map(shown_value, job.metrics)), progress=False), runs
