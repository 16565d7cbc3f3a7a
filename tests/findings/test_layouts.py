"""A report with words never becomes an empty one, wherever its headings are and however they are written."""

import pytest

from radeval_core.findings import parse

BODY = "Lungs are clear. Small left effusion."
LAYOUTS = [
    "{}\nIMPRESSION: Effusion.",
    "{} IMPRESSION: Effusion.",
    "IMPRESSION: {}",
    "IMPRESSION:\n{}",
    "IMPRESSION: Normal heart.\nFINDINGS: {}",
    "IMPRESSION: Normal heart.\n\n{}",
    "**Findings:** {}\n**Impression:** Effusion.",
    "**FINDINGS**\n{}\n**IMPRESSION**\nEffusion.",
    "# Findings\n{}\n# Impression\nEffusion",
    "FINDINGS/IMPRESSION: {}",
    "Findings and Impression:\r\n{}\r\n",
    "FINDINGS:\r\n{}\r\nIMPRESSION:\r\nEffusion.\r\n",
    "FINDINGS - {}\nIMPRESSION - Effusion.",
    "FINDINGS:{}IMPRESSION:Normal heart.",
    "FINDINGS\n{}\nIMPRESSION\nEffusion.",
    "Findings :\n{}",
    "\ufeffFINDINGS: {}",
    "[FINDINGS] {} [IMPRESSION] Normal heart.",
    "INDICATION: Cough.\r\n\r\n{}\r\n\r\nIMPRESSION: Normal heart.",
    "INDICATION: Cough. {} IMPRESSION: Normal heart.",
    "INDICATION: Cough IMPRESSION: {}",
    "Clinical history: cough\nTechnique: PA\nComparison: none\n{}\nImpression: Normal heart.",
    "REASON FOR EXAM:\nchest pain\n{}",
    "XR CHEST 2 VIEWS\n{}\nIMPRESSION: Normal heart.",
    "EXAM: XR CHEST\n{}\nIMPRESSION: Normal heart.",
    "COMPARISON: None. {}",
    "TECHNIQUE: {}",
    "INDICATION: {}",
    "RECOMMENDATION: {}",
    "{}\n\nRECOMMENDATION: CT.",
    "1. {}",
    "{}\rIMPRESSION: Normal heart.",
]


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_body_is_read(layout, upper):
    text = layout.format(BODY)
    report = parse(text.upper() if upper else text)
    assert ("pleural_effusion", "present", "left") in {(f.finding, f.polarity, f.laterality) for f in report.stated}
    assert "normal_lung" in {f.finding for f in report.findings}


@pytest.mark.parametrize(
    "text",
    [
        "HISTORY: Cough. There is concern for pneumonia. IMPRESSION: Normal heart.",
        "INDICATION: Known effusion.\nThe patient has had pneumonia.\nIMPRESSION: Normal heart.",
        "INDICATION: Pleural effusion.\nIMPRESSION: Normal heart.",
        "INDICATION: There is concern for pneumonia.",
        "INDICATION: Pneumonia.",
    ],
)
def test_a_history_before_an_impression_states_nothing(text):
    assert not [f for f in parse(text).stated if f.kind != "normality"]
