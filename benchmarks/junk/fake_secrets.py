"""Secrets that never opened anything, derived from names, so that no file of the project holds one. Detects nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import string
from functools import cache

_LETTERS = string.ascii_letters + string.digits
_UPPER = string.ascii_uppercase + "234567"
_SLOT = re.compile(r"\{\{([a-z_]+)\}\}")


def filled(text: str) -> str:
    """The text with an invented secret for every `{{name}}`. Raises KeyError for a kind of secret that there is not."""
    return _SLOT.sub(lambda slot: secret(slot[1]), text)


@cache
def secret(name: str) -> str:
    """The secret of a name such as `aws_key` or `aws_key_b`: its shape comes from the name without the letter."""
    shape = re.sub(r"_[a-z]$", "", name)
    match shape:
        case "aws_key":
            return "AK" + "IA" + _signs(name, 16, _UPPER)
        case "github_token":
            return "gh" + "p_" + _signs(name, 36)
        case "openai_key":
            return "sk-" + "proj-" + _signs(name, 48)
        case "stripe_key":
            return "sk_" + "live_" + _signs(name, 24)
        case "slack_token":
            numbers = (_signs(f"{name}{part}", 12, string.digits) for part in (1, 2))
            return "-".join(("xo" + "xb", *numbers, _signs(name, 24)))
        case "password":
            return _signs(name, 7) + "#" + _signs(f"{name}2", 8)
        case "jwt":
            parts = ({"alg": "HS256", "typ": "JWT"}, {"sub": "u77", "name": "Test Person", "iat": 1700000000})
            head = ".".join(_url_safe(json.dumps(part).encode()) for part in parts)
            return f"{head}.{_signs(name, 43)}"
        case "private_key":
            lines = [secret("private_key_line"), *(_signs(f"{name}{n}", 64) for n in range(3))]
            return "\n".join(["-----BEGIN " + "PRIVATE KEY-----", *lines, "-----END " + "PRIVATE KEY-----"])
        case "private_key_line":
            return "MIIE" + _signs(name, 60)
        case _:
            raise KeyError(name)


def _signs(name: str, count: int, alphabet: str = _LETTERS) -> str:
    digest = b"".join(hashlib.sha512(f"{name}/{n}".encode()).digest() for n in range(count // 64 + 1))
    return "".join(alphabet[value % len(alphabet)] for value in digest[:count])


def _url_safe(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
