"""The OpenAPI document of the server, made from the types that check its requests. Serves nothing.

`python -m cfpm_adapters.server.openapi > docs/openapi.json` writes the copy in the documentation.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from cfpm_adapters.server.schemas import ErrorReply, LoadReply, LoadRequest, SaveReply, SaveRequest
from cfpm_adapters.signing import KEY_HEADER, NONCE_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER, TOLERANCE

API_VERSION = "1"
LOAD_PATH = f"/v{API_VERSION}/load"
SAVE_PATH = f"/v{API_VERSION}/save"
OPENAPI_PATH = "/openapi.json"
HEALTH_PATH = "/health"

_REFUSALS = {
    "400": "The idempotency key cannot be used.",
    "401": "The signature is missing, wrong or too old.",
    "403": "The host name is not one of this machine, and no secret is set.",
    "408": "The body came too slowly.",
    "409": "This very request came before, or its idempotency key is being worked on.",
    "413": "The body is too large.",
    "415": "The body is not application/json.",
    "422": "The body is not what this operation takes, or its idempotency key belongs to another body.",
    "503": "The memory cannot be used now, or has too much to do; try again with the same key.",
}


def openapi_document() -> dict[str, Any]:
    """The document, with the same content every time."""
    models = (LoadRequest, LoadReply, SaveRequest, SaveReply, ErrorReply)
    _, schemas = models_json_schema(
        [(model, "validation") for model in models], ref_template="#/components/schemas/{model}"
    )
    key = _header(KEY_HEADER, "Up to 200 printable ASCII characters. The same key and body again change nothing.")
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "CFPM memory server",
            "version": API_VERSION,
            "description": (
                "Loads memories for a prompt and takes in what was said. When a secret is set, requests and replies"
                f" carry an HMAC-SHA256 signature; clocks may differ by {TOLERANCE} seconds. See docs/adapters.md."
            ),
        },
        "paths": {
            LOAD_PATH: {"post": _operation("load", "The block for a prompt", LoadRequest, LoadReply, [])},
            SAVE_PATH: {"post": _operation("save", "Takes in messages, once", SaveRequest, SaveReply, [key])},
            HEALTH_PATH: {"get": _plain("health", "Whether the server runs")},
            OPENAPI_PATH: {"get": _plain("openapi", "This document")},
        },
        "components": {"schemas": schemas["$defs"]},
    }


def _operation(
    name: str, summary: str, asked: type[BaseModel], answered: type[BaseModel], headers: list[dict[str, Any]]
) -> dict[str, Any]:
    signed = [
        _header(TIMESTAMP_HEADER, "Seconds since 1970; needed when the server has a secret."),
        _header(NONCE_HEADER, "A text that no request had before, such as 32 random hex digits; it is signed."),
        _header(SIGNATURE_HEADER, "v1= and 64 hex digits; needed when the server has a secret."),
    ]
    refused = {status: _answer(text, ErrorReply) for status, text in _REFUSALS.items()}
    if not headers:
        del refused["400"]
    return {
        "operationId": name,
        "summary": summary,
        "parameters": [*headers, *signed],
        "requestBody": {"required": True, "content": _content(asked)},
        "responses": {"200": _answer("Done.", answered), **refused},
    }


def _plain(name: str, summary: str) -> dict[str, Any]:
    answer = {"description": summary + ".", "content": {"application/json": {"schema": {"type": "object"}}}}
    return {"operationId": name, "summary": summary, "responses": {"200": answer}}


def _answer(text: str, model: type[BaseModel]) -> dict[str, Any]:
    return {"description": text, "content": _content(model)}


def _content(model: type[BaseModel]) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{model.__name__}"}}}


def _header(name: str, text: str) -> dict[str, Any]:
    return {"name": name, "in": "header", "required": False, "description": text, "schema": {"type": "string"}}


if __name__ == "__main__":
    print(json.dumps(openapi_document(), indent=2))
