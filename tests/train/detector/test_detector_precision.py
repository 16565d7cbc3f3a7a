"""Average precision, worked out by hand; precision and recall of the boxes that scoring uses."""

import pytest

SQUARE = (0.0, 0.0, 10.0, 10.0)
AWAY = (50.0, 50.0, 60.0, 60.0)


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global Detection, box_figures
    from radeval_core.train.detector.average_precision import Detection, box_figures


def figures(truth, found, threshold=0.5):
    return box_figures(truth, [[Detection(*one) for one in film] for film in found], threshold)


def test_the_overlap_decides_at_which_thresholds_a_box_counts():
    # 10 x 6.2 of 10 x 10: IoU 0.62, right at 0.5, 0.55 and 0.6 of the ten thresholds
    found = figures([{"svc": SQUARE}], [[("svc", (0.0, 0.0, 10.0, 6.2), 0.9)]])
    assert (found.ap, found.ap50, found.ap75) == pytest.approx((0.3, 1.0, 0.0))
    assert found.mean_iou == pytest.approx(0.62)


def test_iou_above_three_quarters_counts_in_ap75():
    # IoU 0.78: right at 0.5, 0.55, 0.6, 0.65, 0.7 and 0.75
    found = figures([{"svc": SQUARE}], [[("svc", (0.0, 0.0, 10.0, 7.8), 0.9)]])
    assert (found.ap, found.ap75) == pytest.approx((0.6, 1.0))


@pytest.mark.parametrize(("wrong_score", "expected"), [(0.8, 51 / 101), (0.95, 51 / 101 / 2)])
def test_a_wrong_box_costs_more_the_higher_its_score(wrong_score, expected):
    # two films, one right box with score 0.9: recall reaches 0.5, that is 51 of the 101 points of COCO's curve, with
    # precision 1 if the right box comes first, 1/2 if it comes second
    found = figures([{"svc": SQUARE}] * 2, [[("svc", SQUARE, 0.9)], [("svc", AWAY, wrong_score)]])
    assert found.ap == pytest.approx(expected)
    assert (found.precision, found.recall) == (0.5, 0.5)


def test_a_region_that_is_never_found_halves_the_mean():
    found = figures([{"svc": SQUARE, "carina": AWAY}], [[("svc", SQUARE, 0.9)]])
    assert found.by_region == {"carina": 0.0, "svc": pytest.approx(1.0)}
    assert found.ap == pytest.approx(0.5)
    assert (found.precision, found.recall, found.mean_iou) == (1.0, 0.5, 0.5)


def test_a_second_box_of_a_region_is_wrong_in_ap_but_not_used_in_scoring():
    # the doubled box has the higher score: precision 1/2 at every recall
    found = figures([{"svc": SQUARE}], [[("svc", SQUARE, 0.6), ("svc", AWAY, 0.9)]])
    assert found.ap == pytest.approx(0.5)
    assert (found.precision, found.recall) == (0.0, 0.0)  # scoring takes the box with the best score
    better = figures([{"svc": SQUARE}], [[("svc", SQUARE, 0.9), ("svc", AWAY, 0.6)]])
    assert (better.precision, better.recall) == (1.0, 1.0)


def test_scoring_uses_no_box_at_or_below_the_threshold():
    found = figures([{"svc": SQUARE}], [[("svc", SQUARE, 0.5)]], threshold=0.5)
    assert found.ap == pytest.approx(1.0)
    assert (found.precision, found.recall, found.mean_iou) == (0.0, 0.0, 0.0)


def test_a_box_of_a_region_that_no_film_has_counts_against_precision_only():
    found = figures([{"svc": SQUARE}], [[("svc", SQUARE, 0.9), ("carina", AWAY, 0.9)]])
    assert found.ap == pytest.approx(1.0)
    assert (found.precision, found.recall) == (0.5, 1.0)


def test_no_detection_at_all_is_zero(capsys):
    found = figures([{"svc": SQUARE}], [[]])
    assert found.numbers() == dict.fromkeys(("ap", "ap50", "ap75", "precision", "recall", "mean_iou"), 0.0)
    figures([{"svc": SQUARE}], [[("svc", SQUARE, 0.9)]])
    assert capsys.readouterr().out == ""  # pycocotools prints; we do not
