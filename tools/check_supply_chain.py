"""Run bandit on the code and pip-audit on the locked packages, and look every finding up in docs/security.md.

Usage: make audit
       python tools/check_supply_chain.py --tools build/tools/bin [--only bandit,pip-audit]

A finding without an answer in the tables of docs/security.md is an error; so is an answer without a finding. A package
whose vulnerabilities could not be looked up was not checked: the run says so and does not pass.

Exit code: 0 every finding has an answer, 1 some have none, 3 something could not be checked.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
ANSWERS = ROOT / "docs" / "security.md"
CODE = ("src", "tools", "spaces", "metrics")
TESTS = "tools/metric_template/tests"  # a template of tests: asserts are its point
LOCKS = tuple(f"locks/{name}.txt" for name in ("build", "test", "harness", "cuda", "weights", "tools"))
ANY = "any"


@dataclass(frozen=True)
class Finding:
    """One finding of a tool.

    Attributes:
        rule: bandit's rule (`B101`), or the id of a vulnerability.
        where: a file of the repository, or a package.
        note: the line, or the version, and what the tool says.
    """

    rule: str
    where: str
    note: str


@dataclass(frozen=True)
class Answer:
    """One row of the tables in docs/security.md.

    Attributes:
        rule: the rule or the vulnerability.
        where: patterns of files, or packages.
        count: the number of findings it answers, or None for any number.
    """

    rule: str
    where: tuple[str, ...]
    count: int | None

    def covers(self, finding: Finding) -> bool:
        """Return True if this row answers the finding."""
        return finding.rule == self.rule and any(fnmatch(finding.where, pattern) for pattern in self.where)


@dataclass(frozen=True)
class Audit:
    """What a tool found, and what it could not check (with the reason)."""

    findings: tuple[Finding, ...]
    unchecked: tuple[str, ...] = ()


def read_answers(text: str) -> list[Answer]:
    """Return the answers of a page: table rows that begin with a rule in code quotes, files, and a number."""
    found = []
    for line in text.splitlines():
        row = re.match(r"\| `((?:B\d|CVE-|GHSA-|PYSEC-)\S*)` \| ([^|]+) \| (\d+|any) \|", line)
        if row:
            rule, where, count = row.groups()
            found.append(Answer(rule, tuple(re.findall(r"`([^`]+)`", where)), None if count == ANY else int(count)))
    return found


def problems(findings: Iterable[Finding], answers: Iterable[Answer]) -> list[str]:
    """Return one line for each finding without an answer, and for each answer that does not fit the findings."""
    answers, said, used = list(answers), [], Counter[Answer]()
    for finding in findings:
        answer = next((a for a in answers if a.covers(finding)), None)
        if answer is None:
            said.append(f"{finding.rule} has no answer: {finding.where}, {finding.note}")
        else:
            used[answer] += 1
    for answer in answers:
        if not used[answer]:
            said.append(f"{answer.rule} is answered for {', '.join(answer.where)}, but was not found: remove the row")
        elif answer.count not in (None, used[answer]):
            said.append(
                f"{answer.rule} in {', '.join(answer.where)}: {used[answer]} findings, but the answer is for "
                f"{answer.count}: look at each and correct the number"
            )
    return said


def read_bandit(report: dict[str, Any]) -> Audit:
    """Return what bandit's JSON report says."""
    found = [
        Finding(
            one["test_id"],
            Path(one["filename"]).as_posix(),
            f"line {one['line_number']}, {one['issue_severity'].lower()}: {one['issue_text']}",
        )
        for one in report["results"]
    ]
    return Audit(tuple(found), tuple(f"{e['filename']}: {e['reason']}" for e in report["errors"]))


def read_pip_audit(report: dict[str, Any]) -> Audit:
    """Return what pip-audit's JSON report says. A skipped package was not checked, whatever the exit code."""
    found, unchecked = [], []
    for package in report["dependencies"]:
        if "skip_reason" in package:
            unchecked.append(package["skip_reason"])
        for one in package.get("vulns", []):
            fixed = ", ".join(one.get("fix_versions", [])) or "no version"
            found.append(Finding(one["id"], package["name"], f"version {package['version']}; fixed in {fixed}"))
    return Audit(tuple(found), tuple(unchecked))


def run_bandit(tools: Path) -> Audit:
    """Run bandit on the code."""
    done = _run(
        tools / "bandit", "--quiet", "--recursive", *CODE, "--exclude", f"./{TESTS},{TESTS}", "--format", "json"
    )
    return read_bandit(_json(done, "bandit"))


def run_pip_audit(tools: Path) -> Audit:
    """Look up the known vulnerabilities of every locked package, lock by lock: two locks may differ in a version."""
    audits = [_audit_lock(tools / "pip-audit", lock) for lock in LOCKS]
    findings = dict.fromkeys(finding for audit in audits for finding in audit.findings)
    return Audit(tuple(findings), tuple(dict.fromkeys(reason for audit in audits for reason in audit.unchecked)))


def _audit_lock(program: Path, lock: str) -> Audit:
    options = ("--disable-pip", "--require-hashes", "--format", "json", "--progress-spinner", "off")
    done = _run(program, "--requirement", lock, *options)
    if not done.stdout.strip():  # it gives up at the first request that fails
        reason = (done.stderr.strip().splitlines() or ["no output"])[-1]
        return Audit((), (f"{lock}: pip-audit ended without a report: {reason[:200]}",))
    return read_pip_audit(_json(done, "pip-audit"))


RUNS = {"bandit": run_bandit, "pip-audit": run_pip_audit}


def _run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=ROOT, check=False)


def _json(done: subprocess.CompletedProcess[str], name: str) -> dict[str, Any]:
    try:
        return dict(json.loads(done.stdout))
    except ValueError:
        raise SystemExit(f"{name} gave no JSON report:\n{done.stderr.strip()}") from None


def show(name: str, audit: Audit, said: list[str]) -> None:
    """Print the outcome of one tool."""
    print(f"{name}: {len(audit.findings)} findings, {len(said)} open")
    for line in said:
        print(f"  {line}")
    if audit.unchecked:
        print(f"  NOT CHECKED: {len(audit.unchecked)}, such as: {audit.unchecked[0]}")


def main() -> int:
    """Run the tools and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=Path, required=True, help="folder with the programs bandit and pip-audit")
    parser.add_argument("--only", default=",".join(RUNS), help="tools to run, with commas (default: both)")
    args = parser.parse_args()
    names = args.only.split(",")
    if unknown := sorted(set(names) - set(RUNS)):
        parser.error(f"--only: unknown tool {unknown[0]!r}; choose from {', '.join(RUNS)}")
    answers = read_answers(ANSWERS.read_text("utf-8"))
    failed = unchecked = False
    for name in names:
        audit = RUNS[name](args.tools.absolute())
        # an answer cannot be out of date if not everything was checked
        mine = [a for a in answers if a.rule.startswith("B") == (name == "bandit")]
        said = problems(audit.findings, mine)
        if audit.unchecked:
            said = [line for line in said if "has no answer" in line]
        show(name, audit, said)
        failed, unchecked = failed or bool(said), unchecked or bool(audit.unchecked)
    return 1 if failed else 3 if unchecked else 0


if __name__ == "__main__":
    sys.exit(main())
