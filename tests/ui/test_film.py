"""A film that a visitor chooses is kept in their page, not on the server."""

import pytest
from PIL import Image


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global from_data, gr, to_data
    import gradio as gr

    from radeval_core.ui.film import from_data, to_data


@pytest.fixture
def uploads(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "gradio"))
    (tmp_path / "gradio" / "abc").mkdir(parents=True)
    return tmp_path / "gradio" / "abc"


def test_a_film_becomes_text_of_the_page_and_its_file_is_deleted(uploads):
    path = uploads / "film.png"
    Image.new("L", (4000, 2000), 90).save(path)
    data = to_data(str(path))
    assert data.startswith("data:image/jpeg;base64,") and not path.exists() and not uploads.exists()
    assert from_data(data).size == (1000, 500)


def test_a_file_that_is_not_an_image_is_reported_and_deleted(uploads):
    path = uploads / "film.png"
    path.write_text("no image")
    with pytest.raises(gr.Error, match="cannot be read as an image"):
        to_data(str(path))
    assert not path.exists()


@pytest.mark.parametrize(
    "data", ["data:text/html;base64,AAAA", "data:image/jpeg;base64,AAAA", "data:image/jpeg;base64,%%", "x" * 4_000_000]
)
def test_a_page_cannot_send_anything_else(data):
    with pytest.raises(gr.Error, match="choose it again"):
        from_data(data)


@pytest.mark.parametrize("data", ["", None])
def test_without_data_there_is_no_film(data):
    assert from_data(data) is None
