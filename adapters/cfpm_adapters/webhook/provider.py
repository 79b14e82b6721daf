"""Loads a block from one address and saves what is new to another. Decides nothing about memories."""

from __future__ import annotations

import os
import sqlite3
import ssl
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from cfpm.errors import CFPMError, MissingExtraError, StoreError, UsageError
from cfpm.model.clock import Clock, utc_now
from cfpm.model.ids import digest
from cfpm.recall.runtime import Verbosity, runtime_message
from cfpm.secrets import redact
from cfpm_adapters import signing
from cfpm_adapters.framing import framed
from cfpm_adapters.ledger import Ledger, default_file
from cfpm_adapters.provider import History
from cfpm_adapters.webhook.endpoint import Endpoint, endpoint, expanded, expanded_headers
from cfpm_adapters.webhook.errors import WebhookError
from cfpm_adapters.webhook.outbox import Outbox
from cfpm_adapters.webhook.protocol import Form, load_body, message_text, outgoing, parse_block, parse_counts, save_body
from cfpm_adapters.webhook.retry import CircuitBreaker, RetryPolicy

if TYPE_CHECKING:
    from cfpm_adapters.webhook.client import Reply

MAX_REPLY = 1_000_000
"""Bytes of a reply that are read; a block of 1,200 tokens has about 5,000."""

FLUSH_CALLS = 3
"""Times of one call that emptying the outbox may take at the end."""


@dataclass(slots=True)
class WebhookProvider:
    """A memory behind HTTPS. Neither `load` nor `save` raises; a blank address means that the step is left out.

    `headers` and `secret` may hold `${VARIABLE}`, read once, now. `timeout_seconds` is for a whole call with all its
    tries. `save_every` sends only at each Nth save; what waits is on disk in `outbox` (default: a file in the user's
    data folder) and leaves with `flush` or `close`, else in the next run. Raises UsageError for what cannot work: plain
    HTTP to another machine, an unset variable, a short secret, a number below one; MissingExtraError.
    """

    load_url: str = field(default="", repr=False)
    save_url: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout_seconds: float = 10.0
    save_every: int = 1
    secret: str | None = field(default=None, repr=False)
    form: Form = "cfpm"
    outbox: Path | None = None
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    max_reply_bytes: int = MAX_REPLY
    context: ssl.SSLContext | None = field(default=None, repr=False)
    clock: Clock = utc_now
    notify: Callable[[str], None] | None = field(default=None, repr=False)
    """Gets the runtime message after each batch that was taken in, where the endpoint says what came of it."""
    visibility: Verbosity = "brief"
    failures: int = 0
    last_failure: str = ""
    skipped: int = 0
    """Calls that were not made because the breaker was open."""
    _load_to: Endpoint | None = field(init=False, repr=False)
    _save_to: Endpoint | None = field(init=False, repr=False)
    _secret: bytes | None = field(init=False, repr=False)
    _ledger: Ledger = field(init=False, repr=False)
    _box: Outbox = field(init=False, repr=False)
    _name: str = field(init=False, repr=False)
    _breakers: dict[signing.Verb, CircuitBreaker] = field(init=False, repr=False)
    _saves: int = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        if find_spec("httpx") is None or find_spec("tenacity") is None:
            raise MissingExtraError("The webhook provider", "webhook")
        if self.timeout_seconds <= 0 or self.save_every < 1:
            raise UsageError("timeout_seconds or save_every", "not above zero", "Use 10 seconds and every save, say")
        if self.form not in ("cfpm", "simple"):
            raise UsageError(f"form {self.form!r}", "there is no such form", "Use cfpm or simple")
        headers = expanded_headers(self.headers, os.environ)
        self._load_to = endpoint(self.load_url, headers) if self.load_url.strip() else None
        self._save_to = endpoint(self.save_url, headers) if self.save_url.strip() else None
        self._secret = None
        if self.secret is not None:
            self._secret = signing.check_secret(expanded(self.secret, os.environ, place="secret"))
        self._ledger = Ledger(self.outbox or default_file(), self.clock)
        # Two tenants of one address have headers of their own, and what one said must not be sent as the other.
        tenant = [f"{name}\x1f{value}" for name, value in sorted(self.headers.items())]
        self._name = digest(self.save_url or self.load_url, *tenant)[:8]
        to = self._save_to or self._load_to
        self._box = Outbox(self._ledger, f"webhook {to.shown if to else 'nowhere'} ({self._name})")
        self._breakers = {"load": CircuitBreaker(self.retry), "save": CircuitBreaker(self.retry)}

    def load(self, agent: str, query: str = "", *, max_tokens: int = 1200) -> str | None:
        """The endpoint's block as one labelled block within `max_tokens`; None when it has nothing or cannot say it."""
        try:
            if (to := self._load_to) is None or self._is_skipped("load"):
                return None
            body = load_body(self.form, agent, query, max_tokens)

            def attempt(seconds: float) -> str | None:
                reply = self._exchange(to, "load", body, "", seconds)
                return parse_block(reply.status, reply.body)

            text = self._breakers["load"].call(attempt, self.timeout_seconds)
            self._ledger.record_success(self._box.provider, "load")
            return framed(text, max_tokens) if text else None
        except Exception as error:  # noqa: BLE001 (a provider boundary: counted, and the turn goes on)
            self._failed("load", error)
            return None

    def save(self, agent: str, history: History, *, session: str = "default") -> None:
        """Keeps what is new in the outbox, and sends what waits at each `save_every`th call."""
        try:
            if self._save_to is None:
                return
            agent, session = redact(agent).text, redact(session).text
            now = self.clock()
            messages = outgoing(history, session)
            self._box.enqueue(agent, session, messages, lambda message: message_text(self.form, message, now))
            self._saves += 1
            if self._saves % self.save_every == 0 and not self._is_skipped("save"):
                self._send(self.timeout_seconds)
        except Exception as error:  # noqa: BLE001 (a provider boundary: counted, and the turn goes on)
            self._failed("save", error)

    def erase(self, session: str, messages: Iterable[tuple[str, str]]) -> None:
        """Erases messages of a session, given by id and text, from what waits, and asks the other side to erase what it
        was sent. For a host that keeps no memory of its own; `cfpm erase` does it by itself."""
        try:
            if self._save_to is None or not self._ledger.file.exists():
                return
            name = redact(session).text
            with self._box.send_lock(self._name) as mine:
                if not mine:
                    raise StoreError(str(self._ledger.file), "another process is sending", "Try again in a moment")
                self._box.erase((name, ident, text) for ident, text in messages)
            self._ledger.clean()
            self._send(self.timeout_seconds)
        except Exception as error:  # noqa: BLE001 (a provider boundary: counted, and the turn goes on)
            self._failed("save", error)

    def flush(self, *, refused: bool = False) -> None:
        """Sends all that waits, also to an endpoint that is left alone; `refused` tries what it refused once more."""
        try:
            if self._save_to is None:
                return
            if refused:
                self._box.requeue_refused()
            self._send(FLUSH_CALLS * self.timeout_seconds)
        except Exception as error:  # noqa: BLE001 (a provider boundary: counted, and the turn goes on)
            self._failed("save", error)

    def close(self) -> None:
        """Flushes and closes the file; what could not be sent stays in it for the next run."""
        if self._save_to is not None and self._ledger.file.exists():
            self.flush()
        self._ledger.close()

    def _send(self, seconds: float) -> None:
        """Posts batches in order until none is left, one fails, or the time is used up."""
        to, monotonic = self._save_to, self.retry.monotonic
        if to is None or not self._ledger.file.exists():
            return
        until = monotonic() + seconds
        with self._box.send_lock(self._name) as mine:
            # Somebody else who sends takes along what waits here.
            while mine and (left := until - monotonic()) > 0:
                if (batch := self._box.next_batch(partial(save_body, self.form))) is None:
                    return
                post_batch = partial(self._exchange, to, "save", batch.body, batch.key)
                try:
                    reply = self._breakers["save"].call(post_batch, min(left, self.timeout_seconds))
                except WebhookError as failure:
                    if not failure.unfit:
                        raise
                    self._box.refuse(batch, str(failure))
                    self._failed("save", failure)
                else:
                    self._box.acknowledge(batch)
                    self._ledger.record_success(self._box.provider, "save")
                    self._tell(reply)

    def _tell(self, reply: Reply) -> None:
        counts = parse_counts(reply.body) if self.notify is not None else None
        text = runtime_message(counts, self.visibility, "turn_checkpoint") if counts is not None else None
        if text and self.notify is not None:
            self.notify(text)

    def _exchange(self, to: Endpoint, verb: signing.Verb, body: bytes, key: str, seconds: float) -> Reply:
        headers = {"Content-Type": "application/json; charset=utf-8", "Accept": "application/json"}
        if key:
            headers[signing.KEY_HEADER] = key
        from cfpm_adapters.webhook.client import post

        signature = ""
        if self._secret is not None:
            timestamp, nonce = str(int(self.clock().timestamp())), token_hex(16)
            signature = signing.sign_request(self._secret, verb, timestamp, key, body, nonce)
            headers |= {signing.TIMESTAMP_HEADER: timestamp, signing.SIGNATURE_HEADER: signature}
            headers[signing.NONCE_HEADER] = nonce
        reply = post(to, body, headers, seconds=seconds, max_bytes=self.max_reply_bytes, context=self.context)
        if self._secret is not None:
            stamped = reply.headers.get(signing.TIMESTAMP_HEADER, "")
            wanted = signing.sign_reply(self._secret, signature, stamped, reply.status, reply.body)
            if not signing.same(wanted, reply.headers.get(signing.SIGNATURE_HEADER, "")):
                raise WebhookError("forged", "the reply's signature is missing or wrong")
        return reply

    def _is_skipped(self, verb: signing.Verb) -> bool:
        if not self._breakers[verb].is_open:
            return False
        self.skipped += 1
        return True

    def _failed(self, verb: signing.Verb, error: Exception) -> None:
        to = self._load_to if verb == "load" else self._save_to
        kind, detail = _described(error)
        self.failures += 1
        self.last_failure = redact(f"{verb}: {to.shown if to else ''}: {kind}: {detail}").text
        self._ledger.record_failure(self._box.provider, verb, kind, detail)


def _described(error: Exception) -> tuple[str, str]:
    """The kind and the detail of a failure."""
    match error:
        case WebhookError():
            return error.kind, error.detail
        case CFPMError():
            return type(error).__name__, str(error)
        case sqlite3.Error() | OSError():
            return "outbox", f"{type(error).__name__}: {error}"
        case _:
            return type(error).__name__, str(error)
