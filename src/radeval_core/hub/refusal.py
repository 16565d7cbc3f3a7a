"""Explain why the Hub refused a request."""

from __future__ import annotations

from huggingface_hub.errors import HfHubHTTPError


def refusal(error: HfHubHTTPError, needed: str, option: str) -> str:
    """Return why the Hub refused and what to type.

    Args:
        error: the Hub's error.
        needed: what the token is not allowed to do; completes "your token may not …".
        option: the option that sets the organisation.
    """
    status = error.response.status_code
    if status == 401:
        return "the Hub does not accept your token; type: hf auth login"
    if status == 403:
        return f"your token may not {needed}; type: hf auth login, with another token, or give {option}"
    return f"the Hub refused with status {status}: {error.server_message or error}"
