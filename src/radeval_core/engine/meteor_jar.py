"""Run METEOR 1.5 itself: a Java program that reads a question per line and answers with the counts of a pair.

The package pycocoevalcap contains `meteor-1.5.jar` with its tables. Reports go to a process on
this machine, and nowhere else.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import weakref
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import Lock

from radeval_core.errors import InputError, RadevalError

JAR = "meteor-1.5.jar"
_TABLE = "paraphrase-en.gz"
#: its answer ends with a line break; a line separator inside a report would end the question
_BREAKS = re.compile(r"[\s\x00-\x1f\x7f\x85\u2028\u2029]+")
_BAR = re.compile(r"\|{3,}")


def find_jar(given: str | None) -> Path:
    """Return the program: the file the user named, or that of the installed package.

    Raises:
        InputError: there is none, or its table of paraphrases is missing.
    """
    if given:
        jar = Path(given)
    else:
        spec = find_spec("pycocoevalcap")
        if spec is None or not spec.submodule_search_locations:
            raise InputError(
                "config 'meteor-1.5' needs METEOR 1.5: pip install pycocoevalcap, or --option meteor.jar=FILE"
            )
        jar = Path(spec.submodule_search_locations[0]) / "meteor" / JAR
    for file in (jar, jar.parent / "data" / _TABLE):
        if not file.is_file():
            raise InputError(f"METEOR 1.5: no such file: {file}")
    return jar


class MeteorJar:
    """A running METEOR 1.5, started with the first question.

    Args:
        jar: the program.
        java: the command that runs it.
    """

    def __init__(self, jar: Path, java: Sequence[str] = ("java", "-Xmx2G", "-jar")) -> None:
        if shutil.which(java[0]) is None:
            raise InputError("config 'meteor-1.5' needs Java: install a Java runtime, such as default-jre-headless")
        self._command = [*java, str(jar), "-", "-", "-stdio", "-l", "en", "-norm"]
        self._folder = jar.parent
        self._lock = Lock()
        self._process: subprocess.Popen[str] | None = None

    def counts(self, prediction: str, references: Sequence[str]) -> list[float]:
        """Return the counts of a pair; of several references, METEOR chooses the one with the best score."""
        question = " ||| ".join(["SCORE", *map(_line, references), _line(prediction)])
        with self._lock:
            process = self._running()
            assert process.stdin is not None and process.stdout is not None
            try:
                process.stdin.write(question + "\n")
                process.stdin.flush()
                answer = process.stdout.readline()
            except OSError:
                answer = ""
        if not answer:
            raise RadevalError("METEOR 1.5 ended without an answer: it needs 2 GB of memory, and Java 8 or newer")
        try:
            return [float(number) for number in answer.split()]
        except ValueError:
            raise RadevalError("METEOR 1.5 gave an answer that is no list of counts: is the jar damaged?") from None

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                self._command,
                cwd=self._folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
            )
            weakref.finalize(self, _stop, self._process)
        return self._process


def _line(report: str) -> str:
    """Return a report on one line, without the bars that separate reports."""
    return _BREAKS.sub(" ", _BAR.sub(" ", report)).strip()


def _stop(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()
