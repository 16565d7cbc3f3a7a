"""evaluate's own features keep working on our modules."""

import json
import multiprocessing
import os
from pathlib import Path

import pytest

from radeval_core.errors import InputError

METRICS = Path(__file__).resolve().parents[2] / "metrics"
PREDICTIONS = ["No effusion.", "Left pneumothorax.", "", "Heart size is normal.", "Clear lungs."]
REFERENCES = ["No pleural effusion.", "Right pneumothorax.", "Normal.", "Normal heart size.", "Clear lungs."]


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global evaluate
    import evaluate


@pytest.fixture
def rouge():
    return evaluate.load(str(METRICS / "rouge"))


@pytest.fixture
def expected(rouge):
    return rouge.compute(predictions=PREDICTIONS, references=REFERENCES)


def test_add(rouge, expected):
    for prediction, reference in zip(PREDICTIONS, REFERENCES, strict=True):
        rouge.add(prediction=prediction, reference=reference)
    assert len(rouge) == 5
    assert rouge.compute() == expected


def test_add_batch(rouge, expected):
    rouge.add_batch(predictions=PREDICTIONS[:2], references=REFERENCES[:2])
    rouge.add_batch(predictions=[], references=[])
    rouge.add_batch(predictions=PREDICTIONS[2:], references=REFERENCES[2:])
    assert rouge.compute() == expected


def test_mixed_single_and_several_references(rouge):
    rouge.add(prediction="No effusion.", reference="No effusion.")
    rouge.add(prediction="No effusion.", reference=["Effusion.", "No effusion."])
    assert rouge.compute()["scores"] == [1.0, 1.0]


def test_nothing_added(rouge):
    with pytest.raises(InputError, match="nothing to score"):
        rouge.compute()


def test_only_empty_batches(rouge):
    rouge.add_batch(predictions=[], references=[])
    with pytest.raises(InputError, match="are empty: give at least one pair"):
        rouge.compute()


def test_bad_rows_are_refused_when_added(rouge):
    with pytest.raises(InputError, match=r"predictions\[1\] must be a string, got None"):
        rouge.add_batch(predictions=["a", None], references=["a", "b"])
    with pytest.raises(InputError, match=r"references\[0\] must be a string, got int"):
        rouge.add(prediction="a", reference=1)


def test_other_sequences_are_read_too(rouge, expected):
    import datasets
    import numpy as np

    rows = datasets.Dataset.from_dict({"p": PREDICTIONS, "r": REFERENCES})
    assert rouge.compute(predictions=rows["p"], references=rows["r"]) == expected
    assert rouge.compute(predictions=tuple(PREDICTIONS), references=np.array(REFERENCES)) == expected


def test_combine(expected):
    both = evaluate.combine([evaluate.load(str(METRICS / name)) for name in ("bleu", "rouge")])
    result = both.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert result["rouge"] == expected["rouge"] and result["rouge_scores"] == expected["scores"]
    assert result["bleu_signature"].startswith("bleu|")
    for prediction, reference in zip(PREDICTIONS, REFERENCES, strict=True):
        both.add(prediction=prediction, reference=reference)
    assert both.compute() == result


def test_save(tmp_path, expected):
    path = evaluate.save(tmp_path / "result.json", **expected)
    saved = json.loads(Path(path).read_text())
    assert saved["rouge"] == expected["rouge"] and saved["signature"] == expected["signature"]


def test_reports_are_not_written_to_evaluates_cache(rouge, tmp_path):
    module = evaluate.load(str(METRICS / "rouge"), cache_dir=str(tmp_path))
    module.add_batch(predictions=PREDICTIONS, references=REFERENCES)
    on_disk = b"".join(f.read_bytes() for f in tmp_path.rglob("*") if f.is_file())
    assert b"pneumothorax" not in on_disk
    module.compute()


def test_a_checkpoint_folder_as_config_is_not_written_to(tiny_encoder):
    before = sorted(os.listdir(tiny_encoder))
    module = evaluate.load(str(METRICS / "bertscore"), str(tiny_encoder))
    result = module.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert f"config:custom|model:{tiny_encoder.name}@" in result["signature"]
    assert sorted(os.listdir(tiny_encoder)) == before
    same = evaluate.load(str(METRICS / "bertscore"))
    assert same.compute(predictions=PREDICTIONS, references=REFERENCES, checkpoint=str(tiny_encoder)) == result


def _worker(process_id, cache_dir, queue):
    import evaluate  # in a new process, where no fixture ran

    module = evaluate.load(
        str(METRICS / "rouge"), num_process=2, process_id=process_id, experiment_id="shared", cache_dir=cache_dir
    )
    half = slice(0, 2) if process_id == 0 else slice(2, None)
    module.add_batch(predictions=PREDICTIONS[half], references=REFERENCES[half])
    queue.put((process_id, module.compute()))


@pytest.mark.e2e
def test_two_processes(tmp_path, expected):
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["evaluate"])  # once for both processes
    queue = context.Queue()
    workers = [context.Process(target=_worker, args=(i, str(tmp_path), queue)) for i in range(2)]
    for worker in workers:
        worker.start()
    results = dict(queue.get(timeout=120) for _ in workers)
    for worker in workers:
        worker.join(timeout=30)
    assert results == {0: expected, 1: None}
    assert not [f for f in tmp_path.rglob("*.arrow")], "the shared file with the reports is removed"
