"""An address with its headers, checked once, when a provider is made. Sends nothing."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from cfpm.errors import UsageError

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_OURS = frozenset(
    {"content-length", "content-type", "transfer-encoding", "host", "connection", "cfpm-timestamp", "cfpm-signature"}
    | {"idempotency-key", "accept-encoding", "expect"}
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to post. `shown` is the address without its query, which may hold a token."""

    scheme: str
    host: str
    port: int | None
    path: str
    shown: str
    headers: Mapping[str, str] = field(repr=False)


def endpoint(url: str, headers: Mapping[str, str]) -> Endpoint:
    """The parts of an address. Raises UsageError naming the address and the remedy.

    HTTPS only, except to this machine: what is remembered of people does not travel in clear.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise UsageError("the webhook's URL", str(error), "Use https://host/path") from error
    host = parts.hostname or ""
    place = f"[{host}]" if ":" in host else host
    shown = f"{parts.scheme}://{place}{f':{port}' if port is not None else ''}{parts.path}"
    if parts.scheme not in ("http", "https") or not host:
        raise UsageError(shown, "this is no web address", "Use https://host/path")
    if parts.username is not None or parts.password is not None:
        raise UsageError(shown, "an address with a name or password in it", "Put them into a header with ${VARIABLE}")
    if not url.isascii() or not url.isprintable() or " " in url:
        raise UsageError(shown, "signs that no address may hold", "Percent-encode them; write the host in punycode")
    if parts.scheme == "http" and not is_loopback(host):
        raise UsageError(shown, "plain HTTP to another machine", "Use https://, or an address of this machine")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Endpoint(parts.scheme, host, port, path, shown, headers)


def is_loopback(host: str) -> bool:
    """True for a name or address of this machine that no other machine can be reached by."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def expanded_headers(templates: Mapping[str, str], env: Mapping[str, str]) -> dict[str, str]:
    """The headers with `${NAME}` replaced from the environment.

    Raises UsageError for a variable that is not set or empty, since an empty `Authorization` is never meant, and for
    what is no header. Never shows a value.
    """
    headers: dict[str, str] = {}
    for name, template in templates.items():
        if not _HEADER_NAME.fullmatch(name) or name.lower() in _OURS:
            raise UsageError(f"header {name!r}", "not a name that can be set", "Choose another name")
        value = expanded(template, env, place=f"header {name}").strip()
        if not value.isprintable() or not value.isascii():
            raise UsageError(f"header {name}", "its value holds signs that no header may", "Use printable ASCII")
        headers[name] = value
    return headers


def expanded(template: str, env: Mapping[str, str], *, place: str) -> str:
    """The text with `${NAME}` replaced. Raises UsageError naming the place and the variable."""

    def value(found: re.Match[str]) -> str:
        if not (known := env.get(found[1], "")).strip():
            raise UsageError(place, f"the variable {found[1]} is not set", f"Set it: export {found[1]}=...")
        return known

    return _VARIABLE.sub(value, template)
