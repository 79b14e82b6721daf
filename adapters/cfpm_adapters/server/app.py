"""The HTTP side of the server: reads a body within limits, checks its signature, answers signed JSON. Starlette."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from cfpm.errors import CFPMError, InputError
from cfpm.model.clock import Clock
from cfpm.secrets import redact
from cfpm_adapters import signing
from cfpm_adapters.server.openapi import HEALTH_PATH, LOAD_PATH, OPENAPI_PATH, SAVE_PATH, openapi_document
from cfpm_adapters.server.replays import Replays
from cfpm_adapters.server.schemas import LoadRequest, SaveRequest
from cfpm_adapters.server.service import KeyInUseError, KeyReusedError, MemoryService
from cfpm_adapters.server.workers import BusyError, Workers
from cfpm_adapters.webhook.endpoint import is_loopback

_LOG = logging.getLogger("cfpm.server")
_HOST = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<name>[0-9A-Za-z.-]+))(?::[0-9]{1,5})?")

R = TypeVar("R")
M = TypeVar("M", bound=BaseModel)

BODY_SECONDS = 15.0
"""Seconds in which a whole body must arrive."""

ANSWER_SECONDS = 60.0
"""Seconds after which nobody waits for an answer any more; what was begun goes on."""

LOADERS, SAVERS = 2, 2
"""Threads for each verb, so that a long save keeps no prompt waiting, and one long save no other."""

MOST_WAITING = 32
"""Requests of a verb that wait for a thread; more are told to try again."""

MAX_HELD = 64 * 1024 * 1024
"""Bytes of all bodies together that are in memory at once."""

MAX_KEY = 200
"""Characters of an idempotency key."""


@dataclass(frozen=True, slots=True)
class Limits:
    """`secret` None means that requests are not signed: then only this machine may ask."""

    secret: bytes | None
    max_body: int
    clock: Clock


@dataclass(frozen=True, slots=True)
class CheckedRequest:
    """A request whose sender is known."""

    body: bytes
    key: str
    signature: str


def application(open_service: Callable[[], MemoryService], limits: Limits) -> Starlette:
    """The app. `open_service` is called once for each thread that uses a memory."""
    handlers = _Handlers(open_service, limits)
    routes = [
        Route(LOAD_PATH, handlers.load, methods=["POST"]),
        Route(SAVE_PATH, handlers.save, methods=["POST"]),
        Route(OPENAPI_PATH, _openapi, methods=["GET"]),
        Route(HEALTH_PATH, _health, methods=["GET"]),
    ]
    refuse = {HTTPException: _refused, ClientDisconnect: _gone, Exception: _broken}
    return Starlette(routes=routes, lifespan=handlers.lifespan, exception_handlers=refuse)  # type: ignore[arg-type]


async def _openapi(_: Request) -> Response:
    return JSONResponse(openapi_document())


async def _health(_: Request) -> Response:
    return JSONResponse({"status": "ok"})


async def _refused(_: Request, error: HTTPException) -> Response:
    return JSONResponse({"error": error.detail}, error.status_code, headers=error.headers)


async def _gone(_: Request, __: ClientDisconnect) -> Response:
    return JSONResponse({"error": "the body was not sent whole"}, 400)


async def _broken(_: Request, __: Exception) -> Response:
    # It is raised again behind this answer, and so stands in the log.
    return JSONResponse({"error": "the server failed; what happened stands in its log"}, 500)


@dataclass(slots=True)
class _Handlers:
    open_service: Callable[[], MemoryService]
    limits: Limits
    loaders: Workers[MemoryService] = field(init=False)
    savers: Workers[MemoryService] = field(init=False)
    replays: Replays = field(default_factory=Replays)
    held: int = 0

    def __post_init__(self) -> None:
        self.loaders = Workers("cfpm-load", self.open_service, LOADERS, MOST_WAITING, ANSWER_SECONDS)
        self.savers = Workers("cfpm-save", self.open_service, SAVERS, MOST_WAITING, ANSWER_SECONDS)

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        try:
            for workers in (self.loaders, self.savers):
                await asyncio.to_thread(workers.start)
            yield
        finally:
            for workers in (self.loaders, self.savers):
                await asyncio.to_thread(workers.stop)

    async def load(self, request: Request) -> Response:
        with self._holding() as held:
            asked = await self._check_request(request, "load", held)
            block = await _answer(self.loaders, lambda service: _loaded(service, asked))
        return self._signed(asked, block)

    async def save(self, request: Request) -> Response:
        with self._holding() as held:
            asked = await self._check_request(request, "save", held)
            told, again = await _answer(self.savers, lambda service: _saved(service, asked))
        return self._signed(asked, told, {"Idempotency-Replayed": "true"} if again else {})

    @contextmanager
    def _holding(self) -> Iterator[Callable[[int], None]]:
        """What is called with the size of each part of a body that comes to be in memory."""
        mine = 0

        def hold(size: int) -> None:
            nonlocal mine
            if self.held + size > MAX_HELD:
                raise _try_again("too much is being sent at once")
            mine += size
            self.held += size

        try:
            yield hold
        finally:
            self.held -= mine

    async def _check_request(self, request: Request, verb: signing.Verb, held: Callable[[int], None]) -> CheckedRequest:
        if self.limits.secret is None and not (is_loopback(_host(request)) and _asks_from_here(request)):
            # A page in a browser can make a name of its own lead to this machine.
            raise HTTPException(403, "without a secret, ask by an address of this machine")
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise HTTPException(415, "send application/json")
        key = request.headers.get(signing.KEY_HEADER, "")
        if len(key) > MAX_KEY or not (key.isascii() and key.isprintable()):
            raise HTTPException(400, f"{signing.KEY_HEADER}: use up to {MAX_KEY} printable ASCII characters")
        body = await _body(request, self.limits.max_body, held)
        return CheckedRequest(body, key, self._check_signature(request, verb, key, body))

    def _check_signature(self, request: Request, verb: signing.Verb, key: str, body: bytes) -> str:
        """The signature of the request, after proving it; empty when there is no secret."""
        if self.limits.secret is None:
            return ""
        stamp = request.headers.get(signing.TIMESTAMP_HEADER, "")
        given = request.headers.get(signing.SIGNATURE_HEADER, "")
        nonce = request.headers.get(signing.NONCE_HEADER, "")
        wanted = signing.sign_request(self.limits.secret, verb, stamp, key, body, nonce)
        if not signing.same(wanted, given):
            raise HTTPException(401, "the signature is missing or wrong")
        now = self.limits.clock().timestamp()
        if not (stamp.isascii() and stamp.isdigit() and abs(now - int(stamp)) <= signing.TOLERANCE):
            raise HTTPException(401, f"the clocks differ by more than {signing.TOLERANCE} seconds")
        if not self.replays.is_new(wanted, now, int(stamp) + signing.TOLERANCE):
            raise HTTPException(409, f"this very request came before; send another {signing.NONCE_HEADER}")
        if self.replays.full:
            raise _try_again("too many requests within the window of the signatures")
        return wanted

    def _signed(self, asked: CheckedRequest, body: bytes, headers: dict[str, str] | None = None) -> Response:
        response = Response(body, 200, headers, media_type="application/json")
        if self.limits.secret is not None:
            stamp = str(int(self.limits.clock().timestamp()))
            response.headers[signing.TIMESTAMP_HEADER] = stamp
            response.headers[signing.SIGNATURE_HEADER] = signing.sign_reply(
                self.limits.secret, asked.signature, stamp, 200, body
            )
        return response


async def _answer(workers: Workers[MemoryService], work: Callable[[MemoryService], R]) -> R:
    try:
        return await workers.run(work)
    except BusyError:
        raise _try_again("the memory is busy; a save that was begun goes on, so use the same key") from None
    except KeyReusedError:
        raise HTTPException(422, f"the {signing.KEY_HEADER} belongs to another body; use a new one") from None
    except KeyInUseError:
        raise HTTPException(409, f"the {signing.KEY_HEADER} is being worked on", {"Retry-After": "1"}) from None
    except InputError as error:
        raise HTTPException(422, str(error)) from None
    except CFPMError as error:
        # What is wrong with the database is for this machine's `cfpm doctor`, not for who asks from outside.
        _LOG.warning("%s", redact(str(error)).text)
        raise _try_again("the memory cannot be used now") from None


def _loaded(service: MemoryService, asked: CheckedRequest) -> bytes:
    return service.load(_parsed(LoadRequest, asked.body)).model_dump_json(exclude_none=True).encode()


def _saved(service: MemoryService, asked: CheckedRequest) -> tuple[bytes, bool]:
    reply, again = service.save(_parsed(SaveRequest, asked.body), asked.key, asked.body)
    return reply.model_dump_json().encode(), again


def _try_again(why: str) -> HTTPException:
    return HTTPException(503, why, {"Retry-After": "1"})


def _host(request: Request) -> str:
    """The name or address that was asked, empty for what is no such thing."""
    found = _HOST.fullmatch(request.headers.get("host", ""))
    return (found["six"] or found["name"]) if found else ""


def _asks_from_here(request: Request) -> bool:
    """False for a page of another site, whose browser names it."""
    origin = request.headers.get("origin")
    return origin is None or is_loopback(urlsplit(origin).hostname or "")


async def _body(request: Request, most: int, held: Callable[[int], None]) -> bytes:
    stated = request.headers.get("content-length", "0")
    if stated.isdigit() and int(stated) > most:
        raise HTTPException(413, f"more than {most} bytes; send less at once")
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                held(len(chunk))
                body += chunk
                if len(body) > most:
                    raise HTTPException(413, f"more than {most} bytes; send less at once")
    except TimeoutError:
        raise HTTPException(408, "the body came too slowly") from None
    return bytes(body)


def _parsed(model: type[M], body: bytes) -> M:
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "body"
        raise HTTPException(422, f"{place}: {first['msg']}. See {OPENAPI_PATH}") from None
