"""One POST with httpx and its reply, within a time and a size that hold whatever the other side does. Knows no memory.

No redirects, no proxies from the environment, no decompression.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any

import httpx

from cfpm_adapters.webhook.endpoint import Endpoint
from cfpm_adapters.webhook.errors import Kind, WebhookError

_TEMPORARY = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
"""Statuses after which the same request may succeed."""

_UNFIT = frozenset({400, 413, 415, 422})
"""Statuses that say that this very body will never be taken."""

_CONNECTED = frozenset({"connection.connect_tcp.complete", "connection.start_tls.complete"})


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply with a status from 200 to 299."""

    status: int
    headers: httpx.Headers
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

    Raises WebhookError.
    """
    call = _Call(to, body, {**to.headers, **headers}, seconds, max_bytes, context)
    # A thread of its own: httpx limits each read, which is no limit for the whole, and no look-up of a name.
    worker = threading.Thread(target=call.run, name="cfpm-webhook", daemon=True)
    worker.start()
    worker.join(seconds)
    if worker.is_alive():
        call.abandon()
        raise WebhookError("timeout", f"no whole answer within {seconds:.3g} s", again=True)
    if call.reply is None:
        raise call.failure or WebhookError("broken", "the exchange ended without an answer", again=True)
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
    failure: WebhookError | None = None
    abandoned: bool = False
    sock: socket.socket | None = None

    def run(self) -> None:
        try:
            self.reply = self._exchange()
        except WebhookError as failure:
            self.failure = failure
        except (httpx.TimeoutException, TimeoutError):
            self.failure = WebhookError("timeout", f"no answer within {self.seconds:.3g} s", again=True)
        except httpx.ConnectError as error:
            self.failure = _unreachable(error)
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, OSError) as error:
            self.failure = WebhookError("broken", f"{type(error).__name__}: {error}", again=True)

    def abandon(self) -> None:
        """Ends the wait of the thread, as far as it waits for the other side."""
        self.abandoned = True
        if self.sock is not None:
            with suppress(OSError):
                self.sock.shutdown(socket.SHUT_RDWR)

    def _exchange(self) -> Reply:
        to = self.to
        url = httpx.URL(scheme=to.scheme, host=to.host, port=to.port, raw_path=to.path.encode())
        headers = {**self.headers, "Accept-Encoding": "identity", "Connection": "close"}
        # Made here and not by the client, which would add headers of its own.
        request = httpx.Request("POST", url, headers=headers, content=self.body, extensions={"trace": self._trace})
        verify = (self.context or ssl.create_default_context()) if to.scheme == "https" else False
        with (
            httpx.Client(verify=verify, trust_env=False, timeout=self.seconds) as client,
            closing(client.send(request, stream=True)) as response,
        ):
            _check_status(response)
            return Reply(response.status_code, response.headers, self._body(response))

    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Keeps the socket, so that the wait can be ended from outside."""
        if event in _CONNECTED:
            self.sock = info["return_value"].get_extra_info("socket")
            if self.abandoned:
                raise TimeoutError

    def _body(self, response: httpx.Response) -> bytes:
        """The whole body. What comes after the stated length is never read; less than it is no body."""
        stated = int(response.headers.get("content-length", 0))
        if stated > self.max_bytes:
            raise WebhookError("too_large", f"{stated} bytes announced, at most {self.max_bytes} are read")
        body = bytearray()
        for chunk in response.iter_raw():
            body += chunk
            if len(body) > self.max_bytes:
                raise WebhookError("too_large", f"more than {self.max_bytes} bytes")
        return bytes(body)


def _unreachable(error: BaseException) -> WebhookError:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return WebhookError("unreachable", f"the certificate is not valid ({cause.verify_message})")
        cause = cause.__cause__ or cause.__context__
    return WebhookError("unreachable", str(error) or type(error).__name__, again=True)


def _check_status(response: httpx.Response) -> None:
    status = response.status_code
    if 200 <= status < 300:
        return
    if 300 <= status < 400:
        raise WebhookError("redirect", f"status {status}; redirects are not followed, correct the address")
    again = status in _TEMPORARY
    wait = response.headers.get("retry-after", "")
    kind: Kind = "status" if again or status >= 500 else "refused"
    seconds = float(wait) if wait.isascii() and wait.isdigit() and len(wait) < 6 else 0.0
    raise WebhookError(kind, f"status {status}", again=again, unfit=status in _UNFIT, retry_after=seconds)
