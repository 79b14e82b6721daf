"""Signatures of what providers and servers say to each other: who wrote it, and that it is whole. They hide nothing."""

from __future__ import annotations

import hashlib
import hmac
from typing import Literal

from cfpm.errors import UsageError

TIMESTAMP_HEADER = "CFPM-Timestamp"
SIGNATURE_HEADER = "CFPM-Signature"
KEY_HEADER = "Idempotency-Key"
NONCE_HEADER = "CFPM-Nonce"
"""A text that no request had before, so that two of the same content in the same second are told apart."""

TOLERANCE = 300
"""Seconds that the clocks of two machines may be apart; an older request is refused, since it may be a repeated one."""

SHORTEST_SECRET = 16
"""Characters; a shorter one can be found by trying."""

Verb = Literal["load", "save"]


def check_secret(secret: str) -> bytes:
    """The secret as bytes, without blanks around it. Raises UsageError for one that is too short; never shows it."""
    secret = secret.strip()
    if len(secret) < SHORTEST_SECRET:
        raise UsageError(
            "secret", f"{len(secret)} characters are too few", f"Use at least {SHORTEST_SECRET} random characters"
        )
    return secret.encode("utf-8", "surrogatepass")


def sign_request(secret: bytes, verb: Verb, timestamp: str, key: str, body: bytes, nonce: str = "") -> str:
    """The signature of a request: what it asks for, when, its idempotency key and nonce (if any), its exact body."""
    # Another first word, so that a nonce cannot be moved into the body, nor the beginning of a body into the nonce.
    parts = ("request with nonce", verb, timestamp, key, nonce) if nonce else ("request", verb, timestamp, key)
    return _sign(secret, parts, body)


def sign_reply(secret: bytes, request: str, timestamp: str, status: int, body: bytes) -> str:
    """The signature of a reply to the request with that signature: so an old reply fits no new request."""
    return _sign(secret, ("reply", request, timestamp, str(status)), body)


def same(one: str, other: str) -> bool:
    """Whether two signatures agree, in a time that does not tell where they differ."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


def _sign(secret: bytes, parts: tuple[str, ...], body: bytes) -> str:
    # None of the parts can hold a line break: headers cannot, and the rest is ours.
    text = "\n".join(parts).encode() + b"\n" + body
    return "v1=" + hmac.new(secret, text, hashlib.sha256).hexdigest()
