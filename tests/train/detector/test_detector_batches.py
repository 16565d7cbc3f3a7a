"""Films as tensors: fractions of the film, padding with masks, and flips that swap sides."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from radeval_core.errors import InputError
from radeval_core.train.detector.films import Film


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global Collator, FilmDataset, errors_of_workers, torch
    import torch

    from radeval_core.train.detector.batches import Collator, FilmDataset, errors_of_workers


LABELS = {"left lung": 3, "right lung": 5, "svc": 0}


def plain_processor(images, return_tensors):
    """Return an image's grey values as they are."""
    values = torch.from_numpy(np.array(images)).permute(2, 0, 1).float()
    return {"pixel_values": values[None], "pixel_mask": torch.ones((1, *values.shape[1:]))}


@pytest.fixture
def film(tmp_path):
    """Return a film of 8 x 4 pixels whose left lung is white."""
    pixels = np.zeros((4, 8), np.uint8)
    pixels[1:3, 5:7] = 255
    Image.fromarray(pixels).save(tmp_path / "film.png")
    return Film("films: row 1", str(tmp_path / "film.png"), 8, 4, {"left lung": (5, 1, 7, 3), "svc": (0, 0, 8, 4)})


def test_boxes_are_centres_and_sizes_as_fractions_of_the_film(film):
    labels = FilmDataset([film], plain_processor, LABELS)[0]["labels"]
    assert labels["class_labels"].tolist() == [3, 0]
    # centre (6, 2) and size (2, 2) of 8 x 4
    assert labels["boxes"].tolist() == [[0.75, 0.5, 0.25, 0.5], [0.5, 0.5, 1.0, 1.0]]


def test_a_flipped_film_shows_the_lung_where_its_box_is_under_the_other_name(film):
    item = FilmDataset([film], plain_processor, LABELS, flip=1.0)[0]
    assert item["labels"]["class_labels"].tolist() == [5, 0]  # now the right lung
    x, y, width, height = item["labels"]["boxes"][0].tolist()
    left, top = round((x - width / 2) * 8), round((y - height / 2) * 4)
    assert (left, top) == (1, 1)
    white = item["pixel_values"][0] == 255
    assert white[1:3, 1:3].all() and white.sum() == 4


def test_nothing_is_flipped_by_default(film):
    dataset = FilmDataset([film], plain_processor, LABELS)
    assert all(dataset[0]["labels"]["class_labels"].tolist() == [3, 0] for _ in range(10))


def item(height, width, number=0):
    return {
        "pixel_values": torch.ones(3, height, width),
        "pixel_mask": torch.ones(height, width),
        "labels": {"boxes": torch.tensor([[0.5, 0.5, 1.0, 1.0]])},
        "film": number,
    }


def test_smaller_films_are_padded_and_the_mask_marks_it():
    batch = Collator(masks=True, numbered=True)([item(2, 3, 7), item(4, 2, 9)])
    assert batch["pixel_values"].shape == (2, 3, 4, 3)
    assert batch["pixel_mask"].tolist() == [
        [[1, 1, 1], [1, 1, 1], [0, 0, 0], [0, 0, 0]],
        [[1, 1, 0]] * 4,
    ]
    assert torch.equal(batch["pixel_values"][:, 0], batch["pixel_mask"].float())
    assert batch["film"].tolist() == [7, 9]
    assert batch["labels"][0]["boxes"].tolist() == [[0.5, 0.5, 1.0, 1.0]]  # of the film, not of the padded image


def test_without_masks_films_must_have_one_shape():
    assert "pixel_mask" not in Collator(masks=False)([item(2, 3), item(2, 3)])
    with pytest.raises(InputError, match=r"different shapes.*--size N, or --batch 1"):
        Collator(masks=False)([item(2, 3), item(4, 2)])


@pytest.mark.parametrize("workers", [0, 1])
def test_a_film_that_breaks_off_is_named_in_one_line(film, workers):
    whole = Path(film.image).read_bytes()
    Path(film.image).write_bytes(whole[: len(whole) // 2])
    loader = torch.utils.data.DataLoader(FilmDataset([film], plain_processor, LABELS), num_workers=workers)
    with pytest.raises(InputError) as caught, errors_of_workers():
        next(iter(loader))
    assert str(caught.value).startswith("films: row 1 cannot be read as an image") and "\n" not in str(caught.value)
