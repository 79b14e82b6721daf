"""The reference server of the webhook provider: a memory behind HTTP, for one namespace. `cfpm serve` starts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfpm.lazy import resolver

__all__ = ["Serving", "openapi_document", "serve"]

if TYPE_CHECKING:
    from cfpm_adapters.server.openapi import openapi_document
    from cfpm_adapters.server.running import Serving, serve

__getattr__ = resolver(__name__, {"Serving": "running", "openapi_document": "openapi", "serve": "running"})
