"""Counts for Prometheus. No label comes from a request."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

#: pairs and requests per batch
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)
_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)


class Counters:
    """What a server counts."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self.requests = Counter(
            "radeval_requests", "requests by route and status", ["route", "status"], registry=registry
        )
        self.seconds = Histogram(
            "radeval_request_seconds", "time to answer", ["route"], buckets=_SECONDS, registry=registry
        )
        self.pairs = Counter("radeval_pairs", "scored pairs", ["metric"], registry=registry)
        self.unscored = Counter("radeval_unscored_pairs", "pairs without a score", ["metric"], registry=registry)
        self.batch_pairs = Histogram(
            "radeval_batch_pairs", "pairs scored at once", ["worker"], buckets=_SIZES, registry=registry
        )
        self.batch_requests = Histogram(
            "radeval_batch_requests", "requests scored at once", ["worker"], buckets=_SIZES, registry=registry
        )
        self.waiting = Gauge("radeval_waiting_pairs", "pairs that wait", ["worker"], registry=registry)
        self.busy_seconds = Counter("radeval_busy_seconds", "time spent scoring", ["worker"], registry=registry)

    def text(self) -> bytes:
        """Return all counts in Prometheus' text format."""
        return generate_latest(self._registry)
