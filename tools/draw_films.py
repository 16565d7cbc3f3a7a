"""Draw simple chest films with known boxes of the 36 regions, to try `radeval train detector` without patient data.

Each film is the standard atlas, stretched at random: the patient stands nearer or further to one side, the heart is
wider, a diaphragm is higher. A patient has two films with the same body. The pictures show that training works; they
say nothing about real films.

    python tools/draw_films.py OUT --patients 300 --seed 0
    radeval train detector --data OUT/films.jsonl …
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from radeval_core.findings.atlas import standard_atlas
from radeval_core.findings.types import Box

#: where the film is stretched: the edges of lungs and heart in the atlas
_X = (0.0, 0.1348, 0.3770, 0.5020, 0.7666, 0.8643, 1.0)
_Y = (0.0, 0.1245, 0.3516, 0.4336, 0.7050, 0.8052, 1.0)
#: shapes in the order in which they are drawn: region, grey value
_SHAPES = (
    *(("abdomen", 165), ("right lung", 55), ("left lung", 55), ("upper mediastinum", 130), ("spine", 150)),
    *(("trachea", 85), ("svc", 140), ("right hilar structures", 120), ("left hilar structures", 120)),
    *(("descending aorta", 150), ("cardiac silhouette", 170), ("aortic arch", 180), ("carina", 70)),
    *(("right hemidiaphragm", 165), ("left hemidiaphragm", 165)),
)


class Body:
    """The shape of one patient: how wide and high each part is, compared with the atlas."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._columns = _stretched(_X, rng)
        self._rows = {side: _stretched(_Y, rng) for side in ("", "left", "right")}
        for side in ("left", "right"):  # both lungs have the same top; their bases differ
            self._rows[side][:4] = self._rows[""][:4]

    def boxes(self, rng: np.random.Generator, width: int, height: int) -> dict[str, Box]:
        """Return the boxes in pixels of a film taken from a new position of the tube."""
        zoom, shift = rng.uniform(0.72, 1.0, 2), rng.uniform(-1, 1, 2)
        offset = (1 - zoom) * (1 + shift) / 2
        found = {}
        for region, (x1, y1, x2, y2) in standard_atlas().items():
            rows = self._rows[region.split()[0] if region.startswith(("left ", "right ")) else ""]
            xs = np.interp((x1, x2), _X, self._columns) * zoom[0] + offset[0]
            ys = np.interp((y1, y2), _Y, rows) * zoom[1] + offset[1]
            found[region] = tuple(round(float(v), 1) for v in np.stack([xs * width, ys * height], 1).flatten())
        return found  # type: ignore[return-value]


def draw(boxes: dict[str, Box], width: int, height: int, rng: np.random.Generator) -> Image.Image:
    """Return a film with the shapes of its regions, blurred and noisy."""
    film = Image.new("L", (width, height), int(rng.integers(5, 40)))
    pen = ImageDraw.Draw(film)
    x1, y1, x2, _ = boxes["abdomen"]
    top = boxes["right clavicle"][1]
    pen.rounded_rectangle((x1, top, x2, height), (x2 - x1) / 6, fill=105)
    for region, grey in _SHAPES:
        box = boxes[region]
        if region.endswith("hemidiaphragm"):  # a dome: the upper half of an ellipse
            pen.pieslice((*box[:3], 2 * box[3] - box[1]), 180, 360, fill=grey)
        elif region in ("spine", "trachea", "svc", "descending aorta", "abdomen"):
            pen.rectangle(box, fill=grey)
        else:
            pen.ellipse(box, fill=grey)
    for side, (outer, inner) in {"right": (0, 2), "left": (2, 0)}.items():
        box = boxes[f"{side} clavicle"]
        pen.line((box[outer], box[1], box[inner], box[3]), fill=190, width=max(2, height // 60))
    for y in np.arange(y1 * 0.3, height, height / 16):  # discs between the vertebrae
        pen.line((boxes["spine"][0], y, boxes["spine"][2], y), fill=120, width=max(1, height // 150))
    soft = np.asarray(film.filter(ImageFilter.GaussianBlur(height / 150)), dtype=float)
    noisy = 255 * (soft / 255) ** rng.uniform(0.8, 1.25) + rng.normal(0, 8, soft.shape)
    return Image.fromarray(np.clip(noisy, 0, 255).astype(np.uint8))


def write_films(out: Path, patients: int, seed: int, side: int = 192) -> Path:
    """Draw two films per patient and write them with a table; a fifth of the patients is held out."""
    (out / "films").mkdir(parents=True, exist_ok=True)
    rows = []
    for patient in range(patients):
        rng = np.random.default_rng((seed, patient))
        body = Body(rng)
        for number in range(2):
            width, height = (int(side * scale) for scale in rng.uniform(0.9, 1.1, 2))
            boxes = body.boxes(rng, width, height)
            name = f"films/{patient:05}_{number}.png"
            draw(boxes, width, height, rng).save(out / name)
            split = ("train", "train", "train", "train", "validation")[patient % 5]
            listed = [{"region": region, "box": box} for region, box in boxes.items()]
            rows.append({"image": name, "patient": f"p{patient:05}", "split": split, "boxes": listed})
    table = out / "films.jsonl"
    table.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return table


def _stretched(knots: tuple[float, ...], rng: np.random.Generator) -> np.ndarray:
    """Return the knots with each gap stretched by up to a third, still from 0 to 1."""
    gaps = np.diff(knots) * rng.uniform(0.7, 1.35, len(knots) - 1)
    return np.concatenate([[0.0], np.cumsum(gaps) / gaps.sum()])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="folder for films/ and films.jsonl")
    parser.add_argument("--patients", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    print(write_films(args.out, args.patients, args.seed))
