"""One POST and its reply, within a time and a size that hold whatever the other side does. Knows nothing of memory.

The standard library's client: no redirects, no proxies from the environment, no decompression, and its socket is at
hand, so that the time limit is one for the whole exchange and not one for each read.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from cfpm_adapters.webhook.endpoint import Endpoint

Kind = Literal[
    "timeout", "unreachable", "broken", "status", "redirect", "refused", "too_large", "bad_json", "wrong_type", "forged"
]

_TEMPORARY = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
"""Statuses after which the same request may succeed."""

_UNFIT = frozenset({400, 413, 415, 422})
"""Statuses that say that this very body will never be taken."""


class ExchangeError(Exception):
    """How an exchange failed.

    `again` says that the same request may succeed soon, `unfit` that its body never will be taken.
    """

    def __init__(self, kind: Kind, detail: str, *, again: bool = False, unfit: bool = False, wait: float = 0.0) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.again = again
        self.unfit = unfit
        self.wait = wait
        """Seconds that the other side asked to be left alone."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply with a status from 200 to 299. Names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def post(
    to: Endpoint,
    body: bytes,
    headers: Mapping[str, str],
    *,
    seconds: float,
    max_bytes: int,
    context: ssl.SSLContext | None = None,
) -> Reply:
    """Posts JSON and reads the reply: `seconds` for all of it, from the look-up of the name to the last byte.

    Raises ExchangeError.
    """
    call = _Call(to, body, {**to.headers, **headers}, seconds, max_bytes, context)
    # A thread of its own, because looking up a name has no time limit, and a limit for each read is none for the whole.
    worker = threading.Thread(target=call.run, name="cfpm-webhook", daemon=True)
    worker.start()
    worker.join(seconds)
    if worker.is_alive():
        call.abandon()
        raise ExchangeError("timeout", f"no whole answer within {seconds:.3g} s", again=True)
    if call.reply is None:
        raise call.failure or ExchangeError("broken", "the exchange ended without an answer", again=True)
    return call.reply


@dataclass(slots=True)
class _Call:
    to: Endpoint
    body: bytes
    headers: Mapping[str, str]
    seconds: float
    max_bytes: int
    context: ssl.SSLContext | None
    reply: Reply | None = None
    failure: ExchangeError | None = None
    abandoned: bool = False
    connection: http.client.HTTPConnection | None = None
    sock: socket.socket | None = None

    def run(self) -> None:
        try:
            self.reply = self._exchange()
        except ExchangeError as failure:
            self.failure = failure
        except TimeoutError:
            self.failure = ExchangeError("timeout", f"no answer within {self.seconds:.3g} s", again=True)
        except ssl.SSLCertVerificationError as error:
            self.failure = ExchangeError("unreachable", f"the certificate is not valid ({error.verify_message})")
        # First, since a connection that was closed without an answer is an OSError too.
        except (http.client.HTTPException, ValueError) as error:
            self.failure = ExchangeError("broken", f"{type(error).__name__}: {error}", again=True)
        except OSError as error:
            kind: Kind = "broken" if self.sock is not None else "unreachable"
            self.failure = ExchangeError(kind, str(error) or type(error).__name__, again=True)
        finally:
            if self.connection is not None:
                self.connection.close()

    def abandon(self) -> None:
        """Ends the wait of the thread, as far as it waits for the other side."""
        self.abandoned = True
        if self.sock is not None:
            with suppress(OSError):
                self.sock.shutdown(socket.SHUT_RDWR)

    def _exchange(self) -> Reply:
        to = self.to
        if to.encrypted:
            context = self.context or ssl.create_default_context()
            self.connection = http.client.HTTPSConnection(to.host, to.port, timeout=self.seconds, context=context)
        else:
            self.connection = http.client.HTTPConnection(to.host, to.port, timeout=self.seconds)
        self.connection.connect()
        # Kept, because the connection lets go of it as soon as the head of the reply is read.
        self.sock = self.connection.sock
        if self.abandoned:
            raise TimeoutError
        self.connection.request("POST", to.path, body=self.body, headers={**self.headers, "Connection": "close"})
        with self.connection.getresponse() as response:
            headers = {name.lower(): value for name, value in response.getheaders()}
            _check_status(response.status, headers)
            return Reply(response.status, headers, _body(response, self.max_bytes))


def _check_status(status: int, headers: Mapping[str, str]) -> None:
    if 200 <= status < 300:
        return
    if 300 <= status < 400:
        raise ExchangeError("redirect", f"status {status}; redirects are not followed, correct the address")
    again = status in _TEMPORARY
    wait = headers.get("retry-after", "")
    kind: Kind = "status" if again or status >= 500 else "refused"
    seconds = float(wait) if wait.isascii() and wait.isdigit() and len(wait) < 6 else 0.0
    raise ExchangeError(kind, f"status {status}", again=again, unfit=status in _UNFIT, wait=seconds)


def _body(response: http.client.HTTPResponse, max_bytes: int) -> bytes:
    """The whole body. What comes after the stated length is never read; less than it is no body."""
    stated = response.length
    if stated is not None and stated > max_bytes:
        raise ExchangeError("too_large", f"{stated} bytes announced, at most {max_bytes} are read")
    body = response.read(max_bytes + 1)
    if len(body) > max_bytes:
        raise ExchangeError("too_large", f"more than {max_bytes} bytes")
    if stated is not None and len(body) < stated:
        raise ExchangeError("broken", f"{len(body)} of {stated} bytes came", again=True)
    return body
