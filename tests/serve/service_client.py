"""A started service behind a test client, for the tests of this folder."""

from contextlib import contextmanager

from radeval_core import api

REPORTS = (
    ("Small left pleural effusion. No pneumothorax.", "Small right pleural effusion. No pneumothorax."),
    ("Heart size is normal. Lungs are clear.", "The heart is mildly enlarged. Lungs are clear."),
    ("Right lower lobe pneumonia.", "Consolidation in the right lower lobe, likely pneumonia."),
    ("", "No acute cardiopulmonary process."),
)
PAIRS = [{"id": f"case-{i}", "prediction": p, "reference": r} for i, (p, r) in enumerate(REPORTS)]


@contextmanager
def running(metrics=("rouge", "green"), configs=(), options=None, token=None, local=True, **limits):
    """Yield a test client and the service behind it."""
    from starlette.testclient import TestClient

    from radeval_core.serve.app import make_app
    from radeval_core.serve.limits import Limits
    from radeval_core.serve.offer import Offer
    from radeval_core.serve.service import Service

    offer = Offer.of(list(metrics), list(configs), options)
    service = Service(offer, lambda: api.make_resources(progress=False), Limits(**limits))
    service.start()
    app = make_app(service, token, local)
    try:
        with TestClient(app, base_url="http://127.0.0.1:8080") as client:
            yield client, service
    finally:
        service.close()
