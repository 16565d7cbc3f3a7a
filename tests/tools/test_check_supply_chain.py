"""Findings of bandit and pip-audit are looked up in docs/security.md; what was not checked does not pass."""

import sys

import pytest

import check_supply_chain
from check_supply_chain import Answer, Audit, Finding, problems, read_answers, read_bandit, read_pip_audit

PAGE = """
| rule | where | findings | answer |
|---|---|---|---|
| `B101` | `src/*` | any | Because. |
| `B506` | `src/a.py`, `src/b.py` | 2 | Because. |
| `GHSA-1` | `six` | 1 | Not reachable. |
"""
LOOSE, TWO, LEAK = read_answers(PAGE)


def test_answers_are_read_from_the_page():
    assert (Answer("B101", ("src/*",), None), Answer("B506", ("src/a.py", "src/b.py"), 2)) == (LOOSE, TWO)
    assert Answer("GHSA-1", ("six",), 1) == LEAK


def test_answered_findings_are_no_problem():
    assert problems([Finding("B506", "src/a.py", ""), Finding("B506", "src/b.py", "")], [TWO]) == []


@pytest.mark.parametrize(
    ("findings", "said"),
    [
        ([Finding("B602", "src/a.py", "line 3")], "B602 has no answer: src/a.py, line 3"),
        ([Finding("B101", "spaces/a.py", "line 3")], "B101 has no answer: spaces/a.py, line 3"),
        ([Finding("B506", "src/a.py", "")], "B506 in src/a.py, src/b.py: 1 findings, but the answer is for 2"),
        ([Finding("B506", "src/a.py", "")] * 3, "B506 in src/a.py, src/b.py: 3 findings, but the answer is for 2"),
        ([], "B101 is answered for src/*, but was not found: remove the row"),
    ],
)
def test_findings_without_an_answer_and_answers_without_a_finding_are_problems(findings, said):
    assert any(line.startswith(said) for line in problems(findings, [LOOSE, TWO]))


def test_bandits_report_and_the_files_it_could_not_read():
    one = {"test_id": "B101", "filename": "src/a.py", "line_number": 3, "issue_severity": "LOW", "issue_text": "assert"}
    audit = read_bandit({"results": [one], "errors": [{"filename": "src/b.py", "reason": "syntax error"}]})
    assert audit == Audit((Finding("B101", "src/a.py", "line 3, low: assert"),), ("src/b.py: syntax error",))


def test_a_package_that_pip_audit_skips_is_not_checked():
    vulnerable = {"name": "six", "version": "1", "vulns": [{"id": "GHSA-1", "fix_versions": ["2"]}]}
    audit = read_pip_audit({"dependencies": [vulnerable, {"name": "seven", "skip_reason": "not found"}]})
    assert audit == Audit((Finding("GHSA-1", "six", "version 1; fixed in 2"),), ("not found",))


@pytest.mark.parametrize(
    ("audit", "code", "printed"),
    [
        (Audit(()), 0, "pip-audit: 0 findings, 0 open"),
        (Audit((), ("six could not be audited",)), 3, "NOT CHECKED: 1, such as: six could not be audited"),
        (Audit((Finding("GHSA-2", "six", "version 1"),)), 1, "GHSA-2 has no answer: six, version 1"),
    ],
)
def test_the_exit_code_says_what_was_found_or_not_checked(audit, code, printed, monkeypatch, capsys):
    monkeypatch.setitem(check_supply_chain.RUNS, "pip-audit", lambda tools: audit)
    monkeypatch.setattr(sys, "argv", ["check", "--tools", ".", "--only", "pip-audit"])
    assert check_supply_chain.main() == code
    assert printed in capsys.readouterr().out


def test_an_audit_that_ends_without_a_report_is_not_a_pass(tmp_path):
    program = tmp_path / "pip-audit"
    program.write_text("#!/bin/sh\necho 'no connection' >&2\nexit 1\n")
    program.chmod(0o755)
    audit = check_supply_chain.run_pip_audit(tmp_path)
    assert audit.findings == () and len(audit.unchecked) == len(check_supply_chain.LOCKS)
    assert "no connection" in audit.unchecked[0]


def test_every_answer_of_the_page_names_files_that_exist(root):
    answers = read_answers(check_supply_chain.ANSWERS.read_text("utf-8"))
    assert len(answers) > 5
    for answer in answers:
        for pattern in answer.where:
            assert not answer.rule.startswith("B") or list(root.glob(pattern)), f"{answer.rule}: no file {pattern}"
