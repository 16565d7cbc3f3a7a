"""What the owner of a study sees and does on the page: progress, agreement so far, links, downloads."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from radeval_core.errors import unknown_name
from radeval_core.reading.agreement import agreement_so_far, progress
from radeval_core.reading.export import COMMENTS, CORRECTED, RATED, export_rows, finished_readings
from radeval_core.reading.study import Study


@dataclass(frozen=True)
class OwnerDesk:
    """The place of a study's owner."""

    study: Study

    def overview(self) -> dict[str, Any]:
        """Return the progress of every reader, and the agreement over finished cases."""
        about = {"cases": len(self.study.cases), "asked": list(self.study.asked)}
        about |= {"prefilled_by": self.study.prefilled_by, "began": self.study.about["created"]}
        return {"study": about, "progress": progress(self.study), "agreement": agreement_so_far(self.study)}

    def link(self, name: str, again: bool) -> dict[str, Any]:
        """Return the secret of a new reader's link, or of a new link for a reader. It is shown once."""
        return {"name": name, "secret": self.study.renew_link(name) if again else self.study.add_reader(name)}

    def export(self, file: str) -> bytes:
        """Return one file of an export."""
        if file not in (RATED, CORRECTED, COMMENTS):
            raise unknown_name("file of an export", file[:40], (RATED, CORRECTED, COMMENTS))
        export = export_rows(finished_readings(self.study))
        rows = {RATED: export.rated, CORRECTED: export.corrections, COMMENTS: export.comments}[file]
        return "".join(json.dumps(row) + "\n" for row in rows).encode()
