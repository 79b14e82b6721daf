"""The HTTP side of the server: reads a body within limits, checks its signature, answers signed JSON. Starlette."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from cfpm.errors import CFPMError, InputError
from cfpm.model.clock import Clock
from cfpm_adapters import signing
from cfpm_adapters.server.openapi import HEALTH_PATH, LOAD_PATH, OPENAPI_PATH, SAVE_PATH, openapi_document
from cfpm_adapters.server.schemas import LoadRequest, SaveRequest
from cfpm_adapters.server.service import KeyReusedError, MemoryService
from cfpm_adapters.webhook.endpoint import is_loopback

R = TypeVar("R")
M = TypeVar("M", bound=BaseModel)

BODY_SECONDS = 15.0
"""Seconds in which a whole body must arrive."""

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
    """The app. `open_service` is called once, in the one thread that uses the memory."""
    handlers = _Handlers(open_service, limits)
    routes = [
        Route(LOAD_PATH, handlers.load, methods=["POST"]),
        Route(SAVE_PATH, handlers.save, methods=["POST"]),
        Route(OPENAPI_PATH, _openapi, methods=["GET"]),
        Route(HEALTH_PATH, _health, methods=["GET"]),
    ]
    refuse = {HTTPException: _refused, ClientDisconnect: _gone}
    return Starlette(routes=routes, lifespan=handlers.lifespan, exception_handlers=refuse)  # type: ignore[arg-type]


async def _openapi(_: Request) -> Response:
    return JSONResponse(openapi_document())


async def _health(_: Request) -> Response:
    return JSONResponse({"status": "ok"})


async def _refused(_: Request, error: HTTPException) -> Response:
    return JSONResponse({"error": error.detail}, error.status_code, headers=error.headers)


async def _gone(_: Request, __: ClientDisconnect) -> Response:
    return JSONResponse({"error": "the body was not sent whole"}, 400)


@dataclass(slots=True)
class _Handlers:
    open_service: Callable[[], MemoryService]
    limits: Limits
    service: MemoryService | None = None
    worker: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, thread_name_prefix="cfpm-serve"))

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        self.service = await self._run(self.open_service)
        try:
            yield
        finally:
            await self._run(self.service.close)
            self.worker.shutdown(wait=True)

    async def load(self, request: Request) -> Response:
        asked = await self._check_request(request, "load")
        wanted = _parsed(LoadRequest, asked.body)
        reply = await self._answer(lambda: self._open.load(wanted))
        return self._signed(asked, reply.model_dump_json(exclude_none=True).encode())

    async def save(self, request: Request) -> Response:
        asked = await self._check_request(request, "save")
        wanted = _parsed(SaveRequest, asked.body)
        try:
            reply, again = await self._answer(lambda: self._open.save(wanted, asked.key, asked.body))
        except KeyReusedError:
            raise HTTPException(422, f"the {signing.KEY_HEADER} belongs to another body; use a new one") from None
        return self._signed(asked, reply.model_dump_json().encode(), {"Idempotency-Replayed": "true"} if again else {})

    @property
    def _open(self) -> MemoryService:
        assert self.service is not None  # the lifespan opens it before the first request
        return self.service

    async def _run(self, work: Callable[[], R]) -> R:
        return await asyncio.get_running_loop().run_in_executor(self.worker, work)

    async def _answer(self, work: Callable[[], R]) -> R:
        try:
            return await self._run(work)
        except InputError as error:
            raise HTTPException(422, str(error)) from None
        except CFPMError:
            # What is wrong with the database is for this machine's `cfpm doctor`, not for who asks from outside.
            raise HTTPException(503, "the memory cannot be used now", {"Retry-After": "1"}) from None

    async def _check_request(self, request: Request, verb: signing.Verb) -> CheckedRequest:
        if self.limits.secret is None and not is_loopback(_host(request)):
            # A page in a browser can make a name of its own lead to this machine.
            raise HTTPException(403, "without a secret, ask by an address of this machine")
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise HTTPException(415, "send application/json")
        key = request.headers.get(signing.KEY_HEADER, "")
        if len(key) > MAX_KEY or not (key.isascii() and key.isprintable()):
            raise HTTPException(400, f"{signing.KEY_HEADER}: use up to {MAX_KEY} printable ASCII characters")
        body = await _body(request, self.limits.max_body)
        return CheckedRequest(body, key, self._check_signature(request, verb, key, body))

    def _check_signature(self, request: Request, verb: signing.Verb, key: str, body: bytes) -> str:
        """The signature of the request, after proving it; empty when there is no secret."""
        if self.limits.secret is None:
            return ""
        stamp = request.headers.get(signing.TIMESTAMP_HEADER, "")
        given = request.headers.get(signing.SIGNATURE_HEADER, "")
        wanted = signing.sign_request(self.limits.secret, verb, stamp, key, body)
        if not signing.same(wanted, given):
            raise HTTPException(401, "the signature is missing or wrong")
        now = self.limits.clock().timestamp()
        if not (stamp.isascii() and stamp.isdigit() and abs(now - int(stamp)) <= signing.TOLERANCE):
            raise HTTPException(401, f"the clocks differ by more than {signing.TOLERANCE} seconds")
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


def _host(request: Request) -> str:
    host = request.headers.get("host", "")
    return host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]


async def _body(request: Request, most: int) -> bytes:
    stated = request.headers.get("content-length", "0")
    if stated.isdigit() and int(stated) > most:
        raise HTTPException(413, f"more than {most} bytes; send less at once")
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
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
