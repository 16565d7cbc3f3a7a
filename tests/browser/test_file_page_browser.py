"""The file page in a browser: upload, choose columns and metrics, score, search, page through cases, save, compare."""

import csv
import io
import json
from pathlib import Path

import pytest

from radeval_core import score

AUDIT = (Path(__file__).parent / "audit.js").read_text("utf-8")
AXE = (Path(__file__).parent / "axe-core" / "axe.min.js").read_text("utf-8")
HOSTILE = '<img src=x onerror="window.hacked = 1"><script>window.hacked = 2</script> Small right pleural effusion.'
REFERENCES = [
    "Small left pleural effusion. The heart is mildly enlarged.",
    "Large right pneumothorax.",
    "The lungs are clear. No pleural effusion.",
    "Nodule of 8 mm in the right upper lobe.",
    "Moderate cardiomegaly with pulmonary edema.",
]
WORSE = [HOSTILE, "The lungs are clear.", "The lungs are clear.", "", "Mild cardiomegaly."]
METRICS = ["bleu", "fineradscore", "green"]
VIOLATIONS = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
  .filter((rule) => ["serious", "critical"].includes(rule.impact))
  .flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 160)}`))"""


def rows(predictions):
    found = zip(("s1", "s2", "s3", "<i>s4", "s5"), predictions, REFERENCES, strict=True)
    return [{"accession": own, "model_output": p, "gold": r, "scanner": "X"} for own, p, r in found]


def as_csv(predictions=WORSE):
    file = io.StringIO()
    writer = csv.DictWriter(file, ["accession", "scanner", "gold", "model_output"])
    writer.writeheader()
    writer.writerows(rows(predictions))
    return {"name": "worse.csv", "mimeType": "text/csv", "buffer": file.getvalue().encode()}


def as_jsonl(predictions=REFERENCES, name="right.jsonl"):
    lines = "".join(json.dumps(row) + "\n" for row in rows(predictions))
    return {"name": name, "mimeType": "application/jsonl", "buffer": lines.encode()}


def opened(visit, width=1280):
    page = visit("file_page/", width)
    page.locator("#fp-metrics label").first.wait_for()
    page.wait_for_function("window.filePage !== undefined")
    return page


def upload(page, file, side="a"):
    page.locator(f"#fp-upload-{side} input[type=file]").set_input_files(file)
    page.locator(f"#fp-file-{side} .fp-file", has_text=file["name"]).wait_for()


def choose(page, names=METRICS):
    page.locator("#fp-none").click()
    page.get_by_text("No metric is chosen").wait_for()
    for name in names:
        page.locator(f"#fp-metrics input[name={name}]").check()


def scored(page):
    page.locator("#score").click()
    page.locator("#fp-status .fp-done").wait_for(timeout=60_000)
    page.locator("#fp-case-list .fp-case").first.wait_for()


def shown_ids(page):
    return page.locator("#index tbody tr:not([hidden]) th").all_inner_texts()


def saved(page, kind):
    with page.expect_download() as download:
        page.locator(f"#fp-{kind}").click()
    return download.value.suggested_filename, Path(download.value.path()).read_text("utf-8")


@pytest.fixture
def page(visit):
    page = opened(visit)
    upload(page, as_csv())
    choose(page)
    return page


def test_limits_and_privacy_stand_before_the_upload_and_the_page_says_what_to_do(visit):
    page = opened(visit)
    words = page.locator("ul.fp-before").inner_text()
    for said in (
        "1,000 rows and 5 MB",
        "deleted from its disk as soon as it is read",
        "at most 30 minutes",
        ".parquet",
    ):
        assert said in words
    top = page.locator("ul.fp-before").bounding_box()["y"]
    assert top < page.locator("#fp-upload-a").bounding_box()["y"]
    assert "No result yet" in page.locator("#fp-status").inner_text()
    page.locator("#score").click()
    page.locator("#fp-status .fp-problem", has_text="no file to score").wait_for()
    with page.expect_download() as download:
        page.locator("ul.fp-before a[download]").first.click()
    sample = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text("utf-8"))))
    assert len(sample) == 16 and set(sample[0]) == {"id", "prediction", "reference"}


def test_columns_are_guessed_can_be_changed_and_slow_metrics_get_an_estimate(page):
    chosen = [page.locator(f"#fp-{role}-a input").input_value() for role in ("prediction", "reference", "id")]
    assert chosen == ["model_output", "gold", "accession"]
    assert "1 empty prediction" in page.locator("#fp-file-a").inner_text()
    page.get_by_text("This is an estimate").wait_for(timeout=60_000)
    assert "encoder, " in page.locator("#fp-metrics label", has_text="bertscore").inner_text()
    page.locator("#fp-id-a input").click()
    page.get_by_role("option", name="(row numbers)").click()
    page.locator("#fp-file-a .fp-first dd", has_text="0").first.wait_for()
    # the columns of the reports are exchanged: what was the reference is scored
    page.locator("#fp-prediction-a input").click()
    page.get_by_role("option", name="gold").click()
    page.locator("#fp-file-a .fp-first dd", has_text=REFERENCES[0]).nth(1).wait_for()


def test_a_file_is_scored_searched_sorted_and_paged(page, fits, shoot):
    scored(page)
    expected = score([{"prediction": p, "reference": r} for p, r in zip(WORSE, REFERENCES, strict=True)], METRICS)
    summary = page.locator("#summary").inner_text()
    for name, row in expected.summary().items():
        assert name in summary and f"{row['score']:.4f}" in summary
    assert page.evaluate("window.hacked") is None
    # search in reports and ids, sort by a heading, one kind of error
    page.locator("#fp-search input, #fp-search textarea").fill("cardiomegaly")
    page.locator("#fp-count", has_text="1 of 5 pairs").wait_for()
    assert shown_ids(page) == ["s5"]
    page.locator("#fp-search input, #fp-search textarea").fill("nothing like this")
    page.locator("#fp-count", has_text="No pair matches").wait_for()
    page.locator("#fp-search input, #fp-search textarea").fill("")
    page.locator("#fp-count", has_text="5 of 5 pairs").wait_for()
    page.locator("#index th[data-key=bleu] button").click()
    column = page.locator("#index th[data-key=bleu]").evaluate("(th) => [...th.parentElement.children].indexOf(th)")
    values = page.locator("#index tbody").evaluate(
        "(body, i) => [...body.rows].map((row) => Number(row.children[i].dataset.value))", column
    )
    assert values == sorted(values)
    page.locator("#index th[data-key=bleu] button").press("Enter")
    assert page.locator("#index th[data-key=bleu]").get_attribute("aria-sort") == "descending"
    page.locator("#errors button[data-show=missing_finding]").click()
    assert page.locator("#fp-error").input_value() == "missing_finding" and 0 < len(shown_ids(page)) < 5
    # pages of cases, by another metric, and one pair from the table
    assert "Cases 1 to 3 of 5" in page.locator("#fp-words").inner_text()
    page.locator("#fp-next").click()
    page.locator("#fp-words", has_text="Cases 4 to 5 of 5").wait_for()
    assert page.locator(".fp-case").count() == 2
    page.locator("#fp-back").click()
    page.locator("#fp-words", has_text="Cases 1 to 3").wait_for()
    page.locator("#fp-metric input").click()
    page.get_by_role("option", name="bleu").click()
    page.locator(".fp-case .fp-score", has_text="bleu").first.wait_for()
    page.locator("#fp-error").select_option("")
    page.locator("#index tbody a", has_text="s2").focus()
    page.keyboard.press("Enter")
    page.locator("#fp-words", has_text="One pair").wait_for()
    assert page.locator(".fp-case").count() == 1 and "s2" in page.locator(".fp-case h3").inner_text()
    assert page.locator(".fp-case ins").first.inner_text() != ""
    shoot(page, "file_page_desktop")
    assert fits(page)
    shoot(page, "file_page_phone")
    assert page.evaluate(f"({AUDIT})('#fp-sections, #fp-index, .fp-case, .fp-before, .fp-file, #fp-status')") == []


def test_the_saved_files_contain_the_result(page, tmp_path, open_file):
    scored(page)
    name, text = saved(page, "csv")
    table = list(csv.DictReader(io.StringIO(text)))
    expected = score([{"prediction": p, "reference": r} for p, r in zip(WORSE, REFERENCES, strict=True)], METRICS)
    assert name == "radeval_scores.csv" and [row["id"] for row in table] == ["s1", "s2", "s3", "<i>s4", "s5"]
    assert [float(row["green"]) for row in table] == pytest.approx(expected.results["green"].scores.tolist())
    name, text = saved(page, "jsonl")
    details = [json.loads(line) for line in text.splitlines()]
    assert name == "radeval_details.jsonl" and set(details[0]["details"]) == set(METRICS)
    name, text = saved(page, "html")
    assert name == "radeval_report.html" and text.count('class="pair"') == 5
    report = tmp_path / name
    report.write_text(text, "utf-8")
    alone = open_file(report)
    assert alone.locator("h1").inner_text() == "Scores of worse" and alone.locator("#agreement td").count() > 4
    assert alone.evaluate("window.hacked") is None


def test_two_systems_are_compared_and_their_differences_are_shown(page):
    upload(page, as_jsonl(), "b")
    scored(page)
    assert "matched by their ids (accession)" in page.locator("#fp-status").inner_text()
    assert page.locator("#comparison tbody tr").count() == len(METRICS)
    green = page.locator("#comparison tr", has_text="green").inner_text()
    assert "1.0000" in green
    case = page.locator(".fp-case").first
    assert case.locator(".rs").count() == 3 and "No error found" in case.inner_text()
    page.get_by_role("radio", name="B: right").check()
    page.locator("#summary .headlines tr", has_text="green").get_by_text("1.0000", exact=True).first.wait_for()
    _, text = saved(page, "csv")
    assert [row["system"] for row in csv.DictReader(io.StringIO(text))] == ["worse"] * 5 + ["right"] * 5
    page.locator("#fp-remove").click()
    page.locator("#fp-file-b .fp-file").wait_for(state="detached")
    page.locator("#fp-forget").click()
    page.locator("#fp-status", has_text="deleted from this server").wait_for()
    assert not page.locator("#fp-sections").is_visible()


def test_bad_files_get_a_message_and_bad_rows_a_choice(visit):
    page = opened(visit)
    field = page.locator("#fp-upload-a input[type=file]")
    field.set_input_files({"name": "bad.csv", "mimeType": "text/csv", "buffer": b"PK\x03\x04 an Excel sheet"})
    page.locator("#fp-status .fp-problem", has_text="save it as .csv").wait_for()
    lines = b'{"prediction": "Clear lungs.", "reference": "Clear lungs."}\n{broken\n' * 2
    upload(page, {"name": "mixed.jsonl", "mimeType": "application/jsonl", "buffer": lines})
    page.locator("#fp-file-a .fp-problem", has_text="2 rows cannot be read").wait_for()
    assert "line 2, column 2: not valid JSON" in page.locator("#fp-file-a").inner_text()
    choose(page, ["bleu", "rouge"])
    page.locator("#score").click()
    page.locator("#fp-status .fp-problem", has_text="tick the box").wait_for()
    page.locator("#fp-leave-out input").check()
    scored(page)
    assert "2 rows left out: line 2, column 2" in page.locator("#fp-status").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_result_has_no_serious_violation(scheme, browser, spaces_url):
    page = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme, bypass_csp=True).new_page()
    page.goto(f"{spaces_url}/file_page/")
    page.wait_for_function("window.filePage !== undefined")
    upload(page, as_csv())
    upload(page, as_jsonl(), "b")
    choose(page)
    scored(page)
    page.get_by_text("3 metrics chosen: ").wait_for()
    page.wait_for_timeout(400)  # fading in has ended
    page.evaluate(AXE)
    found = page.evaluate(VIOLATIONS)
    page.context.close()
    assert found == []
