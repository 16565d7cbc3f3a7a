"""A small Hub with dataset repos. Commits stay in memory; a commit whose parent is outdated is refused, as on the Hub.

    with DatasetHub(folder, tokens={"hf_good": {"clinic"}}) as hub:
        HfApi(endpoint=hub.url, token="hf_good").create_commit(…)

`hub.faults` lists HTTP statuses for the next commits. A positive status is returned without a commit. A negative one
commits first and then returns its absolute value, like a proxy that loses the response.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, unquote, urlsplit

from hub_server import SPACE, HubServer, _git_oid, _Handler


@dataclass
class DatasetRepo:
    """The commits of one repo, oldest first; each has a name and all files by path."""

    private: bool
    commits: list[tuple[str, dict[str, bytes]]] = field(default_factory=list)

    def add(self, changed: dict[str, bytes]) -> str:
        files = {**(self.commits[-1][1] if self.commits else {}), **changed}
        name = hashlib.sha1(f"{len(self.commits)} {sorted(changed)}".encode()).hexdigest()
        self.commits.append((name, files))
        return name

    @property
    def head(self) -> str:
        return self.commits[-1][0]

    @property
    def files(self) -> dict[str, bytes]:
        return self.commits[-1][1]

    def at(self, revision: str) -> dict[str, bytes] | None:
        return self.files if revision == "main" else dict(self.commits).get(revision)


@dataclass
class DatasetHub(HubServer):
    """A Hub server that also has dataset repos."""

    repos: dict[str, DatasetRepo] = field(default_factory=dict)
    faults: list[int] = field(default_factory=list)

    def __enter__(self) -> DatasetHub:
        handler = type("Handler", (_DatasetHandler,), {"hub": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self


class _DatasetHandler(_Handler):
    hub: DatasetHub
    disable_nagle_algorithm = True  # headers and body are two writes: without this each response waits 40 ms

    def _route(self, method: str) -> None:
        path = unquote(urlsplit(self.path).path)
        routes = [
            ("POST", rf"/api/datasets{SPACE}/preupload/main", self._dataset_preupload),
            ("POST", rf"/api/datasets{SPACE}/commit/main", self._dataset_commit),
            ("GET", rf"/api/datasets{SPACE}", self._dataset_info),
            ("GET", rf"/api/datasets{SPACE}/tree/(?P<revision>[^/]+)", self._dataset_tree),
            ("GET|HEAD", rf"/datasets{SPACE}/resolve/(?P<revision>[^/]+)/(?P<file>.+)", self._dataset_file),
        ]
        for methods, pattern, answer in routes:
            match = re.fullmatch(pattern, path)
            if match and method in methods.split("|"):
                self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if self.headers.get("Transfer-Encoding") == "chunked":
                    self.body = self._chunks()
                self.path_only = path
                groups = match.groupdict()
                repo_id = f"{groups.pop('org')}/{groups.pop('name')}"
                with self.hub.lock:
                    orgs = self._orgs()
                    if orgs is None:
                        return
                    repo = self.hub.repos.get(repo_id)
                    if repo is None or (repo.private and repo_id.split("/")[0] not in orgs):
                        self._error(404, "Repository not found", code="RepoNotFound")
                    elif method == "POST" and not self._may_write(repo_id.split("/")[0]):
                        return
                    else:
                        answer(repo, **groups)
                return
        super()._route(method)

    def _chunks(self) -> bytes:
        data = b""
        while size := int(self.rfile.readline().strip(), 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data

    def _create(self) -> None:
        asked = json.loads(self.body)
        if asked["type"] != "dataset":
            super()._create()
            return
        if not self._may_write(asked["organization"]):
            return
        repo_id = f"{asked['organization']}/{asked['name']}"
        status = 409 if repo_id in self.hub.repos else 200
        if status == 200:
            repo = DatasetRepo(asked.get("visibility") == "private")
            repo.add({".gitattributes": b""})
            self.hub.repos[repo_id] = repo
        self._json(
            status, {"url": f"{self.hub.url}/datasets/{repo_id}", **({"error": "exists"} if status == 409 else {})}
        )

    def _dataset_preupload(self, repo: DatasetRepo) -> None:
        files = []
        for asked in json.loads(self.body)["files"]:
            oid = {"oid": _git_oid(repo.files[asked["path"]])} if asked["path"] in repo.files else {}
            files.append({"path": asked["path"], "uploadMode": "regular", "shouldIgnore": False, **oid})
        self._json(200, {"files": files})

    def _dataset_commit(self, repo: DatasetRepo) -> None:
        fault = self.hub.faults.pop(0) if self.hub.faults else 0
        if fault > 0:
            self._error(fault, "injected")
            return
        lines = [json.loads(line) for line in self.body.splitlines()]
        header = next(line["value"] for line in lines if line["key"] == "header")
        if header.get("parentCommit") not in (None, repo.head):
            self._error(412, "A commit has happened since. Please refresh and try again.")
            return
        changed = {
            line["value"]["path"]: base64.b64decode(line["value"]["content"]) for line in lines if line["key"] == "file"
        }
        name = repo.add(changed)
        if fault < 0:
            self._error(-fault, "the answer is lost")
            return
        url = self.hub.url + self.path_only.removeprefix("/api").replace("/commit/main", f"/commit/{name}")
        self._json(200, {"commitUrl": url, "commitOid": name, "success": True})

    def _dataset_info(self, repo: DatasetRepo) -> None:
        self._json(
            200, {"id": self.path_only.removeprefix("/api/datasets/"), "sha": repo.head, "private": repo.private}
        )

    def _dataset_tree(self, repo: DatasetRepo, revision: str) -> None:
        files = repo.at(revision)
        if files is None:
            self._error(404, f"Invalid rev id: {revision}", code="RevisionNotFound")
            return
        assert parse_qs(urlsplit(self.path).query)["recursive"] in (["true"], ["True"])
        self._json(
            200,
            [{"type": "file", "path": p, "size": len(d), "oid": _git_oid(d)} for p, d in sorted(files.items())],
        )

    def _dataset_file(self, repo: DatasetRepo, revision: str, file: str) -> None:
        files = repo.at(revision)
        if files is None or file not in files:
            self._error(404, "Entry not found", code="EntryNotFound")
            return
        headers = {"ETag": f'"{_git_oid(files[file])}"', "X-Repo-Commit": repo.head}
        self._send(200, files[file], "application/json", headers)
