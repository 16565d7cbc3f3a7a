"""Compare what two reports say about change, finding by finding.

A change is a finding that is new, increased, decreased, unchanged or resolved. A resolved finding is absent, but it is
a change; `no new effusion` is none.
"""

from __future__ import annotations

from dataclasses import dataclass

from radeval_core.findings.claim_match import match
from radeval_core.findings.claims import Claim, merge_mentions
from radeval_core.findings.open_match import encoder_in_use
from radeval_core.findings.types import CHANGES, ParsedReport


@dataclass(frozen=True, slots=True)
class ChangePair:
    """A change that one or both reports state.

    Attributes:
        reference: what the reference states; None if only the candidate states the change.
        candidate: what the candidate states; None if only the reference does.
    """

    reference: Claim | None
    candidate: Claim | None

    @property
    def same(self) -> bool:
        """Return whether both reports state the same change."""
        return self.counted == "same"

    @property
    def counted(self) -> str:
        """Return `same`, `other change`, `missing` or `added`."""
        if self.candidate is None:
            return "missing"
        if self.reference is None:
            return "added"
        return "same" if self.reference.change == self.candidate.change else "other change"


def read_changes(report: ParsedReport) -> list[Claim]:
    """Return the changes a report states. A finding with two changes gives two."""
    return list(report.once(("changes", encoder_in_use()), _merge_changes))


def _merge_changes(report: ParsedReport) -> list[Claim]:
    changed = [f for f in report.stated if f.change and (f.polarity != "absent" or f.change == "resolved")]
    said = [kind for kind in CHANGES if any(f.change == kind for f in changed)]
    claims = [c for kind in said for c in merge_mentions([f for f in changed if f.change == kind], report)]
    return sorted((claim for claim in claims if claim.change), key=lambda claim: claim.start)


def align_changes(reference: ParsedReport, candidate: ParsedReport) -> list[ChangePair]:
    """Return the changes of two reports, read with the same lexicon, each beside its counterpart.

    The same change of the same finding is matched first; then different changes of the same finding.
    """
    theirs, ours = read_changes(reference), read_changes(candidate)
    pairs: list[ChangePair] = []
    for kind in (*CHANGES, None):
        left = [claim for claim in theirs if kind in (claim.change, None)]
        right = [claim for claim in ours if kind in (claim.change, None)]
        for i, j in match(left, right, reference.lexicon):
            if {left[i].laterality, right[j].laterality} == {"left", "right"}:
                continue
            pairs.append(ChangePair(left[i], right[j]))
            theirs.remove(left[i])
            ours.remove(right[j])
    pairs += [ChangePair(claim, None) for claim in theirs] + [ChangePair(None, claim) for claim in ours]
    return sorted(pairs, key=_position)


def _position(pair: ChangePair) -> tuple[bool, int]:
    claim = pair.reference or pair.candidate
    assert claim is not None
    return pair.reference is None, claim.start
