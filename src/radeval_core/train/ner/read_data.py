"""Read the sentences to train on: a built dataset, a CoNLL file or a JSONL file, in three splits by study."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from radeval_core.errors import InputError, unknown_name
from radeval_core.io import jsonl_rows
from radeval_core.io.notes import Notes
from radeval_core.io.text_stream import numbered_lines
from radeval_core.train.ner.sentences import MarkedSentence, check_tag, check_tags, read_sentence

SPLITS = ("train", "dev", "test")
#: in a CoNLL file, the line that begins a document
_DOCUMENT = "-DOCSTART-"
#: endings of files in CoNLL's layout
CONLL = (".conll", ".iob", ".bio", ".txt", ".tsv")
#: column that `sources` means in a dataset that has no column `source`
_SOURCE_COLUMNS = {"radcheck": "modality"}


@dataclass(frozen=True)
class NerData:
    """Sentences in three splits.

    Attributes:
        splits: sentences by split.
        provenance: what was read: `dataset`, `config` and `revision`, or `file` and `sha256`.
    """

    splits: Mapping[str, Sequence[MarkedSentence]]
    provenance: dict[str, Any]

    @property
    def sources(self) -> list[str]:
        """Return the names of the sources of the training split."""
        return sorted({s.source for s in self.splits["train"] if s.source})

    def only(self, sources: Sequence[str]) -> NerData:
        """Return the data with train and dev from some sources; the test split stays whole, as in the paper."""
        for name in sources:
            if name not in self.sources:
                raise unknown_name("source", name, self.sources)
        kept = {
            split: [s for s in rows if split == "test" or s.source in sources] for split, rows in self.splits.items()
        }
        return _filled(replace(self, splits=kept), f"sources {', '.join(sources)}")

    def repeated(self) -> int:
        """Return how many sentences of the test split are also in the training split, word for word."""
        trained = {s.text for s in self.splits["train"]}
        return sum(s.text in trained for s in self.splits["test"])

    def digest(self) -> str:
        """Return a hash of everything that decides what is learned and measured."""
        content = hashlib.sha256()
        for split, rows in self.splits.items():
            for s in rows:
                content.update(f"{split}\0{s.text}\0{s.spans}\n".encode("utf-8", "surrogatepass"))
        return content.hexdigest()[:16]


def read_data(
    source: str, config: str | None = None, dev: str | None = None, test: str | None = None, seed: int = 0
) -> NerData:
    """Read and check all sentences.

    Args:
        source: a dataset with entities (`rate_ner`, `radcheck`), its built folder, or a CoNLL or JSONL file.
        config: config of a built dataset.
        dev: file with the sentences to measure during training; else every tenth study of `source`.
        test: file with the sentences to measure at the end; else every tenth study of `source`.
        seed: decides which studies are held out.

    Raises:
        InputError: file and line of what is wrong, or an empty split.
    """
    path = Path(source)
    if not path.is_file() and path.suffix.lower() not in (".jsonl", *CONLL):
        if dev or test:
            raise InputError(f"{source} has its own splits: leave out --dev-data and --test-data")
        return _built(source, config)
    if config:
        raise InputError(f"{source}: a file has no configs; omit --data-config")
    rows = list(_file(path))
    fixed = {name: [s for s, _ in _file(Path(file))] for name, file in (("dev", dev), ("test", test)) if file}
    digests = {name: _sha256(Path(file)) for name, file in (("dev", dev), ("test", test)) if file}
    splits = {**_split(rows, source, [name for name in SPLITS if name not in fixed], seed), **fixed}
    ordered = {split: splits[split] for split in SPLITS}
    return _filled(NerData(ordered, {"file": path.name, "sha256": _sha256(path), **digests}), source)


def _built(source: str, config: str | None) -> NerData:
    from radeval_core.data.bench_rows import find_data, read_rows  # pyarrow: slow to import
    from radeval_core.data.catalogue import get_dataset
    from radeval_core.data.dataset import read_manifest

    folder = find_data(source)
    manifest = read_manifest(folder)
    dataset = get_dataset(manifest["dataset"])
    marked = [name for name, part in dataset.configs.items() if part.kind == "entities"]
    if not marked:
        raise InputError(f"{dataset.name} has no marked entities; use rate_ner, radcheck, or a CoNLL or JSONL file")
    config = config or marked[0]
    if config not in marked:
        raise unknown_name(f"config of {dataset.name} with entities", config, marked)
    column = _SOURCE_COLUMNS.get(dataset.name, "source")
    splits = {}
    for split in SPLITS:
        places = ((f"{dataset.name}/{config}/{split}: row {n}", n) for n in range(1, 10**9))
        rows = zip(places, read_rows(folder, config, split), strict=False)
        splits[split] = [read_sentence(where, {**row, "source": row[column]}, n) for (where, n), row in rows]
    provenance = {"dataset": dataset.name, "revision": str(manifest["revision"]), "config": config}
    return _filled(NerData(splits, provenance), f"{dataset.name}/{config}")


def _file(path: Path) -> Iterator[tuple[MarkedSentence, str]]:
    """Yield the sentences of a file, each with the split that its row names, or with an empty text."""
    if not path.is_file():
        raise InputError(f"{path} is a folder; give a file" if path.is_dir() else f"{path}: no such file")
    ending = path.suffix.lower()
    if ending == ".jsonl":
        for index, (where, row) in enumerate(jsonl_rows(path)):
            split = row.get("split") or ""
            if split and split not in SPLITS:
                raise InputError(f"{where}: split must be {', '.join(SPLITS)}")
            yield read_sentence(where, row, index), split
    elif ending in CONLL:
        yield from ((sentence, "") for sentence in conll_sentences(path))
    else:
        raise InputError(f"{path}: the file name must end in .jsonl, or for CoNLL in {', '.join(CONLL)}")


def conll_sentences(path: Path) -> Iterator[MarkedSentence]:
    """Yield the sentences of a CoNLL file: a word and its tag per line, a blank line after each sentence.

    Words and tags are separated by a tab or spaces; columns between the first and the last are ignored. A line that
    begins with `-DOCSTART-` begins a document, whose sentences stay together in one split.
    """
    tokens: list[str] = []
    tags: list[str] = []
    first = document = count = 0
    for number, line in (*_lines(path), (0, "")):
        cells = line.split()
        if cells and not cells[0].startswith(_DOCUMENT):
            if len(cells) < 2:
                raise InputError(f"{path}: line {number}: expected a word and its tag, separated by a tab or spaces")
            first = first or number
            tokens.append(cells[0])
            tags.append(check_tag(f"{path}: line {number}", cells[-1]))
            continue
        if tokens:
            check_tags(f"{path}: sentence at line {first}", tags)
            row = {"tokens": tokens, "tags": tags, "id": f"line {first}"}
            study = {"study": f"document {document}"} if document else {}
            yield read_sentence(f"{path}: line {first}", {**row, **study}, count)
            tokens, tags, first, count = [], [], 0, count + 1
        document += bool(cells)


def _lines(path: Path) -> Iterable[tuple[int, str]]:
    return numbered_lines(path, Notes())


def _split(
    rows: Sequence[tuple[MarkedSentence, str]], source: str, wanted: Sequence[str], seed: int
) -> dict[str, list[MarkedSentence]]:
    """Return the sentences by split: as the rows say, or by study, a tenth each for dev and test.

    Args:
        rows: sentences with the split that their rows name.
        source: for errors.
        wanted: splits that come from these rows; the others have files of their own.
        seed: decides which studies are held out.
    """
    named = [split for _, split in rows if split]
    if named:
        if len(named) != len(rows):
            raise InputError(f"{source}: {len(rows) - len(named)} rows have no 'split'; name it in all rows or in none")
        return {name: [s for s, split in rows if split == name] for name in wanted}
    studies = sorted({s.study for s, _ in rows}, key=lambda study: hashlib.sha256(f"{seed} {study}".encode()).digest())
    held = max(1, len(studies) // 10)
    chosen = dict.fromkeys(studies, "train")
    for number, name in enumerate(name for name in wanted if name != "train"):
        chosen |= dict.fromkeys(studies[number * held : (number + 1) * held], name)
    return {name: [s for s, _ in rows if chosen[s.study] == name] for name in wanted}


def _filled(data: NerData, source: str) -> NerData:
    for split, rows in data.splits.items():
        if not rows:
            raise InputError(f"{source}: the split {split!r} has no sentences")
        if not any(s.spans for s in rows):
            raise InputError(f"{source}: the split {split!r} has no entities")
    return data


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
