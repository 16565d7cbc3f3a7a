"""`radeval serve`: score over HTTP."""

from __future__ import annotations

import argparse
import json
from typing import Any

from radeval_core.cli.arguments import (
    add_command,
    add_lexicon_option,
    add_metric_options,
    add_model_options,
    add_option_option,
    assignment,
    metric_list,
    options_of,
)
from radeval_core.errors import InputError, needs_extra

_EXAMPLES = """Clients choose among the metrics and configs named here, which are loaded before the first request. The
first --config of a metric is its default on this server. Clients may set switches and choices of a metric, but no
option that is set here.

The environment variable RADEVAL_SERVE_TOKEN contains the token that clients must send. Without it the server only
listens on this machine. SIGTERM and Ctrl-C answer what was taken, then end; a second signal ends at once.

examples:
  radeval serve
  radeval serve --metrics green,radgraph_f1,bertscore --port 9000
  radeval serve --metrics green --config green=radllama2-7b --config green=embedded --device cuda
  RADEVAL_SERVE_TOKEN=… radeval serve --host 0.0.0.0 --metrics green

  curl http://127.0.0.1:8080/v1/score -H 'Content-Type: application/json' -d '{"metrics": ["green"], "pairs":
    [{"prediction": "Small left effusion.", "reference": "Small right effusion."}]}'
"""


def add_serve_command(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command."""
    serve = add_command(
        commands,
        "serve",
        "score over HTTP",
        _EXAMPLES,
        common,
        "Serve metrics over HTTP, for trainers and for other languages. See docs/serve.md.",
    )
    serve.set_defaults(run=_serve)
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on; 127.0.0.1 by default")
    serve.add_argument("--port", type=int, default=8080, help="port to listen on; 8080 by default, 0 for a free one")
    serve.add_argument("--no-token", action="store_true", help="let other machines in without a token")
    add_metric_options(serve, required=False)
    add_option_option(serve)
    add_lexicon_option(serve)
    add_model_options(serve)
    serve.add_argument("--batch-tokens", type=int, metavar="N", help="tokens per batch, including padding")
    for name, about in (
        ("--max-bytes", "bytes of one request; 8000000 by default"),
        ("--max-pairs", "pairs of one request; 2000 by default"),
        ("--max-characters", "characters of one text; 50000 by default"),
        ("--max-waiting", "pairs that wait before requests are refused with 429; 8000 by default"),
        ("--batch-pairs", "pairs of several requests that are scored at once; 512 by default"),
    ):
        serve.add_argument(name, type=int, metavar="N", help=about)


def _serve(args: argparse.Namespace) -> int:
    if not 0 <= args.port <= 65535:
        raise InputError(f"--port must be between 0 and 65535, got {args.port}")
    try:
        from radeval_core.serve import access, app, logs, server
    except ModuleNotFoundError as error:
        raise needs_extra("serve", "radeval serve") from error
    from radeval_core import api
    from radeval_core.serve.limits import Limits
    from radeval_core.serve.offer import Offer
    from radeval_core.serve.service import Service

    token = access.token_from()
    access.check_reach(args.host, token, args.no_token)
    given = {
        "request_bytes": args.max_bytes,
        "pairs": args.max_pairs,
        "characters": args.max_characters,
        "waiting_pairs": args.max_waiting,
        "batch_pairs": args.batch_pairs,
    }
    limits = Limits(**{name: value for name, value in given.items() if value is not None})
    configs = [assignment(text, "--config METRIC=CONFIG") for text in args.config]
    offer = Offer.of(metric_list(args.metrics or "all"), configs, options_of(args))
    service = Service(
        offer,
        lambda: api.make_resources(args.device, args.batch_tokens, args.cache, False, args.lexicon),
        limits,
    )
    listening = server.take_port(args.host, args.port)
    with listening:
        service.start()
        logs.set_up(args.quiet)
        host = f"[{args.host}]" if ":" in args.host else args.host
        url = f"http://{host}:{listening.getsockname()[1]}"
        if args.json:
            print(json.dumps({"url": url, "metrics": list(offer.configs), "token": token is not None}), flush=True)
        else:
            about = "a token is needed" if token else "no token is needed"
            print(f"serving {', '.join(offer.configs)} on {url} ({about}; description: {url}/docs)", flush=True)
        return server.run(app.make_app(service, token, access.is_loopback(args.host)), service, listening)
