"""Figures as PNG: the same bytes every time, from any thread, without pyplot."""

import io
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from PIL import Image

from radeval_core.pictures import img, new_figure, png


def drawn(seed=0):
    figure = new_figure(200, 100)
    axes = figure.subplots()
    axes.plot([0, 1, 2], [seed, 1, 4])
    axes.set_xlabel("errors")
    return figure


def test_the_same_data_gives_the_same_bytes_from_any_thread():
    expected = [png(drawn(seed)) for seed in range(4)]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda seed: png(drawn(seed)), range(4))) == expected


def test_a_picture_has_the_requested_size_and_no_software_name():
    image = Image.open(io.BytesIO(png(drawn(), scale=2)))
    assert image.format == "PNG" and image.size == (400, 200)
    assert "Software" not in image.info


def test_an_image_on_a_page_has_size_and_alt_text():
    tag = img(drawn(), 'a "<b>"')
    assert tag.startswith('<img width="200" height="100" alt="a &quot;&lt;b&gt;&quot;" src="data:image/png;base64,')


@pytest.mark.e2e
def test_pyplot_is_never_imported_and_matplotlib_only_for_a_figure():
    code = (
        "import sys; from radeval_core import pictures; from radeval_core.bench import page; "
        "assert 'matplotlib' not in sys.modules; pictures.png(pictures.new_figure(9, 9)); "
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=120).returncode == 0
