"""Films and their splits: no patient in two of them; mirrored films; mean boxes."""

import pytest

from radeval_core.errors import InputError
from radeval_core.findings.atlas import region_names, standard_atlas
from radeval_core.train.detector.films import Film, constant_boxes, mean_boxes, mirrored, split_films


def film(name, patient="", split="", boxes=None, size=(100, 200)):
    return Film(f"films: row {name}", f"{name}.png", *size, boxes or {"left lung": (50, 20, 90, 160)}, patient, split)


def names(films):
    return [f.image.removesuffix(".png") for f in films]


def test_splits_of_the_data_are_kept():
    films = [film("a", "1", "train"), film("b", "2", "validation"), film("c", "3", "test"), film("d", "1", "train")]
    splits = {split: names(found) for split, found in split_films(films, 0.1, 0).items()}
    assert splits == {"train": ["a", "d"], "validation": ["b"], "test": ["c"]}


def test_all_films_of_a_patient_are_held_out_together():
    films = [film(f"{patient}{i}", patient) for patient in "pqrst" for i in range(4)]
    splits = split_films(films, 0.4, seed=3)
    held_out = {f.patient for f in splits["validation"]}
    assert len(held_out) == 2 and len(splits["validation"]) == 8
    assert held_out.isdisjoint(f.patient for f in splits["train"])


def test_a_seed_holds_out_the_same_patients_in_any_order_of_films():
    films = [film(str(i), str(i)) for i in range(20)]
    first = sorted(names(split_films(films, 0.2, 1)["validation"]))
    assert first == sorted(names(split_films(films[::-1], 0.2, 1)["validation"]))
    assert first != sorted(names(split_films(films, 0.2, 2)["validation"]))


def test_films_without_patients_are_divided_one_by_one():
    splits = split_films([film(str(i)) for i in range(10)], 0.3, 0)
    assert (len(splits["train"]), len(splits["validation"])) == (7, 3)


def test_test_films_stay_apart_while_the_others_are_divided():
    splits = split_films([film("a", "1"), film("b", "2"), film("c", "3", "test")], 0.5, 0)
    assert names(splits["test"]) == ["c"] and len(splits["train"]) == len(splits["validation"]) == 1


@pytest.mark.parametrize(
    ("films", "message"),
    [
        ([], "no film with boxes"),
        ([film("a", "1", "train"), film("b", "2")], "row b: no split, although other films have one"),
        ([film("a", "1", "train"), film("b", "1", "validation")], "row b: its patient is in the split 'validation'"),
        ([film("a", "", "train"), film("a", "", "validation")], "row a: its image is in the split 'validation'"),
        ([film("a", "1", "train"), film("b", "2", "test")], "split 'validation' is empty .found 1 train, 1 test"),
        ([film("a", "1"), film("b", "1")], "films of 1 patient: at least 2"),
    ],
)
def test_wrong_splits_are_refused_with_their_row(films, message):
    with pytest.raises(InputError, match=message):
        split_films(films, 0.5, 0)


@pytest.mark.parametrize("share", [0, 1, -0.1, float("nan")])
def test_a_share_that_leaves_a_split_empty_is_refused(share):
    with pytest.raises(InputError, match="--validation-share must be above 0 and below 1"):
        split_films([film("a", "1"), film("b", "2")], share, 0)


def test_a_mirrored_film_swaps_the_names_of_the_sides():
    boxes = {"left lung": (0.5, 0.1, 0.75, 0.8), "right clavicle": (0.125, 0.1, 0.5, 0.25), "spine": (0.5, 0, 0.625, 1)}
    assert mirrored(boxes) == {
        "right lung": (0.25, 0.1, 0.5, 0.8),  # 1 - 0.75, 1 - 0.5
        "left clavicle": (0.5, 0.1, 0.875, 0.25),
        "spine": (0.375, 0, 0.5, 1),
    }


def test_mirroring_twice_gives_the_film_back():
    again = mirrored(mirrored(standard_atlas()))
    assert set(again) == set(region_names())
    assert all(again[region] == pytest.approx(box) for region, box in standard_atlas().items())


def test_mean_boxes_are_means_of_fractions():
    films = [
        film("a", boxes={"svc": (10, 20, 30, 40)}),  # of 100 x 200: 0.1, 0.1, 0.3, 0.2
        film("b", boxes={"svc": (30, 30, 50, 60), "carina": (0, 0, 100, 100)}, size=(100, 100)),
    ]
    means = mean_boxes(films)
    assert means["svc"] == pytest.approx((0.2, 0.2, 0.4, 0.4))
    assert constant_boxes(means, films[0])["carina"] == pytest.approx((0, 0, 100, 200))
