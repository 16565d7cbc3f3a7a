"""The description of the service as a page of our own: no script, and nothing from another host."""

from __future__ import annotations

from typing import Any

from radeval_core.html_text import text

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>radeval serve</title><style>
body {{ font: 16px/1.5 system-ui, sans-serif; color: #1c2430; background: #fff; max-width: 54rem; margin: 2rem auto;
  padding: 0 1rem; }}
code, pre {{ font: 14px/1.45 ui-monospace, monospace; }} pre {{ background: #f0f5fa; padding: .8rem; overflow: auto; }}
section {{ border: 1px solid #d6dbe3; border-radius: 8px; margin: 1rem 0; padding: .2rem 1rem; }}
table {{ border-collapse: collapse; }}
td {{ padding: .1rem 1rem .1rem 0; vertical-align: top; }} b {{ color: #004f80; }}
</style></head><body><h1>radeval {version}</h1>
<p>Scores radiology reports. The same description as data: <a href="openapi.json">openapi.json</a>. What this server
offers: <a href="v1/metrics">v1/metrics</a>.</p>{routes}</body></html>
"""


def api_page(api: dict[str, Any]) -> str:
    """Return a page with the routes of an OpenAPI description."""
    routes = [
        _route(method, path, about) for path, methods in api["paths"].items() for method, about in methods.items()
    ]
    bodies = [_body(name, schema) for name, schema in api["components"]["schemas"].items()]
    return _PAGE.format(version=text(api["info"]["version"]), routes="".join([*routes, *bodies]))


def _route(method: str, path: str, about: dict[str, Any]) -> str:
    head = f"<h2><code>{text(method.upper())} {text(path)}</code></h2><p>{text(about.get('summary', ''))}</p>"
    content = about.get("requestBody", {}).get("content", {})
    names = [given["schema"]["$ref"].rpartition("/")[2] for given in content.values()]
    body = "".join(f'<p>body: JSON, <a href="#{text(name)}">{text(name)}</a></p>' for name in names)
    rows = "".join(
        f"<tr><td><b>{text(status)}</b></td><td>{text(answer['description'])}</td></tr>"
        for status, answer in about["responses"].items()
        if content
    )
    return f"<section>{head}{body}<table>{rows}</table></section>"


def _body(name: str, schema: dict[str, Any]) -> str:
    """Return the fields of a body as a table."""
    needed = schema.get("required", ())
    rows = "".join(
        f"<tr><td><code>{text(field)}</code></td><td>{'needed' if field in needed else ''}</td>"
        f"<td>{text(_kind(about))}</td><td>{text(about.get('description', ''))}</td></tr>"
        for field, about in schema["properties"].items()
    )
    about = text(schema.get("description", ""))
    return f'<section id="{text(name)}"><h2>{text(name)}</h2><p>{about}</p><table>{rows}</table></section>'


def _kind(about: dict[str, Any]) -> str:
    """Return the type of a field in words."""
    if "$ref" in about:
        return str(about["$ref"]).rpartition("/")[2]
    if "anyOf" in about:
        return " or ".join(kind for kind in map(_kind, about["anyOf"]) if kind != "null")
    if about.get("type") == "array":
        return f"list of {_kind(about['items'])}"
    if isinstance(about.get("additionalProperties"), dict):
        return f"name to {_kind(about['additionalProperties'])}"
    return str(about.get("type", "any value"))
