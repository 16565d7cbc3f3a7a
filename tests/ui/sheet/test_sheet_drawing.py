"""A sheet as HTML: every mark is linked both ways, nothing in a report is markup, every state has words."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radeval_core.ui.sheet import Edit, Mark, Sheet, draw_sheet, read_sheet, sheet_style

REFERENCE = "Moderate right pneumothorax. Nodule of 8 mm in the left upper lobe. The heart is normal."
CANDIDATE = "Moderate left pneumothorax. The heart is normal. Small left effusion."


class Page(HTMLParser):
    """Collect the ids, links, tags and text of a page; `without` leaves the text of these tags out."""

    def __init__(self, html, without=()):
        super().__init__()
        self.ids, self.links, self.tags, self.text, self.skip, self.without = [], [], [], "", 0, without
        self.open = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.tags.append(tag)
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found["href"]] if "href" in found else []
        self.open.append(
            (tag, tag in self.without or found.get("class", "").startswith(("rs-n", "rs-rail", "rs-hidden")))
        )

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        if not any(skipped for _, skipped in self.open):
            self.text += data


def page_of(html):
    """Return only the page of a sheet, without its list."""
    return re.search(
        r'<div class="rs-page">(.*?)</div>(?=<p class="rs-(?:clean|problem|note)|<ol|<details|</div>$)', html, re.DOTALL
    )[1]


def test_every_mark_is_linked_with_its_entry_both_ways():
    sheet = read_sheet(REFERENCE, CANDIDATE)
    page = Page(draw_sheet(sheet, "a"))
    assert len(sheet.marks) == 3
    for n in (1, 2, 3):
        assert {f"a-m{n}", f"a-e{n}"} <= set(page.ids)
        assert {f"#a-m{n}", f"#a-e{n}"} <= set(page.links)
    assert len(set(page.ids)) == len(page.ids) and {link[1:] for link in page.links} <= set(page.ids)


def test_the_list_is_sorted_by_severity_and_says_it_in_words():
    html = draw_sheet(read_sheet(REFERENCE, CANDIDATE), "a")
    found = re.findall(r'<b class="rs-sev">(\S+) ([^<]+)</b>', html)
    assert found == [("!!!", "emergent"), ("!!", "urgent"), ("!", "actionable")]
    assert "3 errors: 1 emergent, 1 urgent, 1 actionable" in html


def test_a_screen_reader_hears_the_change():
    html = draw_sheet(read_sheet(REFERENCE, CANDIDATE), "a")
    spoken = re.findall(r'<a class="rs-mark.*?</a>', html)
    assert [" ".join(re.sub("<[^>]+>", " ", mark).split()) for mark in spoken] == [
        "emergent, wrong location, wrong words and right words: left right , mark 1",
        "urgent, false finding, to strike: Small left effusion , mark 2",
        "actionable, missing finding, to insert: Nodule of 8 mm in the left upper lobe. , mark 3",
    ]


@given(
    st.text(max_size=60), st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60), st.text(max_size=5)), max_size=4)
)
def test_any_text_stays_text_and_no_letter_is_lost(report, edits):
    marks = tuple(Mark(3, "false_finding", right, (Edit(min(a, b), max(a, b), right),)) for a, b, right in edits)
    page = Page(page_of(draw_sheet(Sheet(report, marks), "a")), without=("ins",))
    assert set(page.tags) <= {"div", "p", "span", "a", "del", "ins"}
    if report.strip() or marks:
        assert "".join(page.text.split()) == "".join(report.split())


def test_hostile_text_and_templates_are_escaped():
    html = draw_sheet(
        read_sheet("Small left effusion.", "<img src=x onerror=1> ${x} Small right effusion."), "a", '<b>"'
    )
    assert "<img" not in html and "<b>&" not in html and "${" not in html


@pytest.mark.parametrize(
    ("reference", "candidate", "words"),
    [
        (REFERENCE, REFERENCE, "No error found"),
        ("Small left effusion.", "Blorf zwick quarn.", "Nothing could be compared here"),
        ("", "", "(empty report)"),
        ("Small left effusion.", "", "1 error: 1 urgent"),
        ("Small left effusion. The heart is normal.", "Small left effusion. Blorf zwick quarn.", "not read"),
        ("Large left effusion.", "Left effusion.", "1 place where the reference says more (no error)"),
    ],
)
def test_every_state_says_what_it_is(reference, candidate, words):
    assert words in draw_sheet(read_sheet(reference, candidate), "a")


def test_headings_are_set_apart_and_every_sentence_has_a_row():
    html = draw_sheet(
        read_sheet(REFERENCE, "FINDINGS: Moderate left pneumothorax. The heart is normal.\n\nIMPRESSION: None."), "a"
    )
    assert html.count('<span class="rs-head">') == 2 and html.count('class="rs-row rs-gap"') == 1
    assert html.count('class="rs-text"') == 4, "three sentences and one insertion"


def test_a_name_that_cannot_begin_an_id_is_refused():
    with pytest.raises(ValueError, match="lower-case letters"):
        draw_sheet(Sheet("x"), 'a" onclick="x')


def test_the_style_outlines_a_mark_and_its_entry_together():
    assert '.rs:has([data-n="60"]:is(:hover, :focus-visible)) [data-n="60"]' in sheet_style()


def test_a_long_report_scrolls_and_can_be_reached_by_keyboard():
    short, long = (draw_sheet(read_sheet("Cardiomegaly.", "The heart is large. " * n), "a") for n in (3, 40))
    assert "rs-long" not in short and 'class="rs-page rs-long" tabindex="0" role="region"' in long
