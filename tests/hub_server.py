"""A small Hub on 127.0.0.1 with the routes that `huggingface_hub` needs to upload a Space, a dataset or a model, and
that `evaluate` needs to load a metric.

    with HubServer(folder, tokens={"hf_good": {"radeval"}}) as hub:
        subprocess.run(..., env={"HF_ENDPOINT": hub.url, "HF_TOKEN": "hf_good"})

Files of Spaces are in `folder/<org>/<name>/`, those of datasets and models in `folder/datasets/<org>/<name>/` and
`folder/models/<org>/<name>/`. `hub.calls` lists (method, path, status) of every request, in order.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import yaml

SPACE = r"/(?P<org>[\w.-]+)/(?P<name>[\w.-]+)"
REPO = rf"/(?P<kind>spaces|datasets|models){SPACE}"


@dataclass
class HubServer:
    """The server.

    Attributes:
        folder: folder with the files of the Spaces.
        tokens: the organisations that each token may write to; unknown tokens get status 401.
        calls: (method, path, status) of every request so far.
        commits: the header (`summary`, `description`) of every commit so far, by Space.
    """

    folder: Path
    tokens: dict[str, set[str]]
    calls: list[tuple[str, str, int]] = field(default_factory=list)
    commits: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> HubServer:
        handler = type("Handler", (_Handler,), {"hub": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def space(self, org: str, name: str) -> Path:
        return self.folder / org / name

    def dataset(self, org: str, name: str) -> Path:
        return self.folder / "datasets" / org / name

    def model(self, org: str, name: str) -> Path:
        return self.folder / "models" / org / name

    def repo(self, kind: str, org: str, name: str) -> Path:
        return {"spaces": self.space, "datasets": self.dataset, "models": self.model}[kind](org, name)

    def saw(self, method: str, path: str) -> list[int]:
        """Return the statuses of all requests with this method and path."""
        return [status for m, p, status in self.calls if (m, p) == (method, path)]


class _Handler(BaseHTTPRequestHandler):
    hub: HubServer
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._route("HEAD")

    def do_GET(self) -> None:
        self._route("GET")

    def do_POST(self) -> None:
        self._route("POST")

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing: `calls` is the log."""

    def _route(self, method: str) -> None:
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.path_only = unquote(urlsplit(self.path).path)
        routes = [
            ("GET", r"/api/whoami-v2", self._whoami),
            ("POST", r"/api/repos/create", self._create),
            ("POST", r"/api/validate-yaml", self._validate_yaml),
            ("POST", rf"/api{REPO}/preupload/main", self._preupload),
            ("POST", rf"/api{REPO}/commit/main", self._commit),
            ("GET", rf"/api{REPO}(/revision/main)?", self._info),
            ("GET|HEAD", rf"/spaces{SPACE}/resolve/(?P<revision>[^/]+)/(?P<file>.+)", self._resolve),
        ]
        with self.hub.lock:
            for methods, pattern, answer in routes:
                match = re.fullmatch(pattern, self.path_only)
                if match and method in methods.split("|"):
                    answer(**match.groupdict())
                    return
            self._error(404, f"no such address: {method} {self.path_only}")

    # the routes

    def _whoami(self) -> None:
        if (orgs := self._orgs()) is not None:
            self._json(200, {"type": "user", "name": "tester", "orgs": [{"name": org} for org in sorted(orgs)]})

    def _create(self) -> None:
        asked = json.loads(self.body)
        if not self._may_write(asked["organization"]):
            return
        wanted = asked.get("type", "model")
        if wanted == "space" and asked["sdk"] != "gradio":
            self._error(400, "only Gradio Spaces are kept here")
            return
        kind = f"{wanted}s"
        repo = self.hub.repo(kind, asked["organization"], asked["name"])
        status = 409 if repo.exists() else 200
        repo.mkdir(parents=True, exist_ok=True)
        url = f"{self.hub.url}/{kind}/{asked['organization']}/{asked['name']}"
        self._json(status, {"url": url, **({"error": "You already created this space repo"} if status == 409 else {})})

    def _validate_yaml(self) -> None:
        asked = json.loads(self.body)
        text = asked["content"]
        try:
            fields = yaml.safe_load(text.split("---")[1]) if text.startswith("---") else {}
        except yaml.YAMLError as error:
            self._json(400, {"errors": [{"message": str(error)}], "warnings": []})
            return
        required = {"space": ("title", "sdk", "app_file"), "dataset": ("license", "configs")}
        missing = [key for key in required.get(asked["repoType"], ("license",)) if key not in fields]
        errors = [{"message": f'"{key}" is required'} for key in missing]
        self._json(400 if errors else 200, {"errors": errors, "warnings": []})

    def _preupload(self, kind: str, org: str, name: str) -> None:
        if not self._may_write(org) or not self._exists(kind, org, name):
            return
        files = []
        for asked in json.loads(self.body)["files"]:
            stored = self.hub.repo(kind, org, name) / asked["path"]
            oid = {"oid": _git_oid(stored.read_bytes())} if stored.is_file() else {}
            files.append({"path": asked["path"], "uploadMode": "regular", "shouldIgnore": False, **oid})
        self._json(200, {"files": files})

    def _commit(self, kind: str, org: str, name: str) -> None:
        if not self._may_write(org) or not self._exists(kind, org, name):
            return
        if self.headers["Content-Type"] != "application/x-ndjson":
            self._error(400, "a commit must be application/x-ndjson")
            return
        repo = self.hub.repo(kind, org, name)
        for line in map(json.loads, self.body.splitlines()):
            if line["key"] == "header":
                self.hub.commits.setdefault(f"{org}/{name}", []).append(line["value"])
            elif line["key"] == "file":
                path = (repo / line["value"]["path"]).resolve()
                assert path.is_relative_to(repo.resolve()), path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(base64.b64decode(line["value"]["content"]))
            else:
                raise AssertionError(f"unexpected commit line: {line['key']}")
        oid = self._head(org, name)
        self._json(200, {"commitUrl": f"{self.hub.url}/{kind}/{org}/{name}/commit/{oid}", "commitOid": oid,
                         "success": True})  # fmt: skip

    def _info(self, kind: str, org: str, name: str) -> None:
        if self._orgs() is not None and self._exists(kind, org, name):
            sdk = {"sdk": "gradio"} if kind == "spaces" else {}
            self._json(200, {"id": f"{org}/{name}", "sha": self._head(org, name), **sdk})

    def _resolve(self, org: str, name: str, revision: str, file: str) -> None:
        if not self._exists("spaces", org, name):
            return
        if revision not in ("main", self._head(org, name)):
            self._error(404, f"Invalid rev id: {revision}", code="RevisionNotFound")
            return
        path = self.hub.space(org, name) / file
        if not path.is_file():
            self._error(404, "Entry not found", code="EntryNotFound")
            return
        data = path.read_bytes()
        headers = {"ETag": f'"{_git_oid(data)}"', "X-Repo-Commit": self._head(org, name)}
        self._send(200, data, "text/plain; charset=utf-8", headers)

    # permissions and lookups

    def _orgs(self) -> set[str] | None:
        """Return the organisations of the caller's token; None if the token was refused with 401."""
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        if token not in self.hub.tokens:
            self._error(401, "Invalid username or password.")
            return None
        return self.hub.tokens[token]

    def _may_write(self, org: str) -> bool:
        orgs = self._orgs()
        if orgs is not None and org not in orgs:
            self._error(403, f'You don\'t have the rights to create a space under the namespace "{org}"')
        return orgs is not None and org in orgs

    def _exists(self, kind: str, org: str, name: str) -> bool:
        found = self.hub.repo(kind, org, name).is_dir()
        if not found:
            self._error(404, "Repository not found", code="RepoNotFound")
        return found

    def _head(self, org: str, name: str) -> str:
        return hashlib.sha1(f"{org}/{name}:{len(self.hub.commits.get(f'{org}/{name}', []))}".encode()).hexdigest()

    # sending

    def _error(self, status: int, message: str, code: str = "") -> None:
        headers = {"X-Error-Message": message, **({"X-Error-Code": code} if code else {})}
        self._json(status, {"error": message}, headers)

    def _json(self, status: int, value: Any, headers: dict[str, str] | None = None) -> None:
        self._send(status, json.dumps(value).encode(), "application/json; charset=utf-8", headers or {})

    def _send(self, status: int, data: bytes, kind: str, headers: dict[str, str]) -> None:
        self.hub.calls.append((self.command, self.path_only, status))
        self.send_response(status)
        for key, value in {"Content-Type": kind, "Content-Length": str(len(data)), **headers}.items():
            self.send_header(key, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


def _git_oid(data: bytes) -> str:
    """Return the git blob id of a file's content, as git and the Hub compute it."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
