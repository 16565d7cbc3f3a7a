"""Several heuristics mixed in equal parts."""

import json
from collections import Counter

import pytest

from radeval_core.cli.app import main
from radeval_core.data.pair_mix import PAPER, heuristics_of, mix_pairs
from radeval_core.data.pairing import make_pairs
from radeval_core.data.similarity import most_similar_several
from radeval_core.errors import InputError

REPORTS = {
    "a": "Small left pleural effusion. The heart is normal in size. No pneumothorax.",
    "b": "Moderate right pleural effusion. The heart is normal in size. No pneumothorax.",
    "c": "Severe cardiomegaly. Mild pulmonary edema. No focal consolidation.",
    "d": "Left lower lobe consolidation. No pleural effusion. No pneumothorax. Heart is enlarged.",
    "e": "Small left apical pneumothorax. The heart is enlarged. Mild edema.",
}
OUTPUTS = {name: f"Small effusion for {name}." for name in REPORTS}


def test_the_five_heuristics_of_the_paper_have_equal_parts_and_distinct_pairs():
    pairs = mix_pairs(REPORTS, PAPER, count=23, outputs=OUTPUTS)
    assert Counter(pair.heuristic for pair in pairs) == dict.fromkeys(PAPER, 4)
    assert len({(pair.reference, pair.prediction) for pair in pairs}) == len(pairs) == 20
    assert mix_pairs(REPORTS, PAPER, count=23, outputs=OUTPUTS) == pairs


def test_a_pair_of_one_heuristic_is_not_made_by_another():
    two = {name: REPORTS[name] for name in "ab"}
    # of two reports, the random match and the nearest one are the same
    with pytest.raises(InputError, match="the heuristic 'nearest' makes no pair from these reports"):
        mix_pairs(two, ("random", "nearest"))
    assert len(make_pairs(two, "nearest")) == 2


def test_the_rarest_heuristic_decides_how_many_pairs_there_are():
    pairs = mix_pairs(REPORTS, ("random", "model_output"), outputs={"a": "Edema.", "c": "Nodule."})
    assert Counter(pair.heuristic for pair in pairs) == {"random": 2, "model_output": 2}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("mixed,random", "give it alone"),
        ("random,random", "different ones"),
        (",", "expected one heuristic"),
    ],
)
def test_wrong_lists_of_heuristics_are_explained(text, problem):
    with pytest.raises(InputError, match=problem):
        heuristics_of(text)


def test_what_a_mix_needs_is_said():
    assert heuristics_of("mixed") == PAPER
    assert heuristics_of("random, nearest") == ("random", "nearest")
    with pytest.raises(InputError, match="--heuristic random,remove_shuffle,nearest,permutation"):
        mix_pairs(REPORTS, PAPER)
    with pytest.raises(InputError, match="given for 'model_output', which is not among the heuristics"):
        mix_pairs(REPORTS, ("random", "nearest"), outputs=OUTPUTS)
    with pytest.raises(InputError, match="at least 2, one pair of each heuristic, got 1"):
        mix_pairs(REPORTS, ("random", "nearest"), count=1)


def test_several_nearest_texts_without_the_text_itself():
    texts = ["small left effusion", "small right effusion", "large mass", "small left nodule", "left effusion"]
    # shared words: with 1 two and a word less rare, with 3 two and a pair, with 4 two and a pair; none with 2
    assert list(most_similar_several(texts, [0], 2)) == [[3, 4]]
    assert list(most_similar_several(texts, [0, 2], 9)) == [[1, 3, 4], []]


def test_the_command_mixes_and_refuses_what_it_does_not_know(tmp_path, capsys):
    def write(name, texts):
        path = tmp_path / name
        path.write_text("".join(json.dumps({"id": k, "text": v}) + "\n" for k, v in texts.items()), "utf-8")
        return str(path)

    out = str(tmp_path / "pairs.jsonl")
    command = ["data", "pairs", write("reports.jsonl", REPORTS), "--out", out, "--heuristic"]
    assert main([*command, "mixed", "--outputs", write("outputs.jsonl", OUTPUTS), "--count", "10"]) == 0
    assert "wrote 10 pairs from 5 reports" in capsys.readouterr().out
    assert main([*command, "nearest", "--nearest", "bert"]) == 2
    assert "did you mean 'bertscore'?" in capsys.readouterr().err
    assert main([*command, "random", "--nearest", "bertscore"]) == 2
    assert "--nearest bertscore is for --heuristic nearest or mixed" in capsys.readouterr().err
    assert main([*command, "nearest", "--nearest-config", "x/y"]) == 2
    assert "--nearest-config is for --nearest bertscore" in capsys.readouterr().err
