"""What connects the memory to hosts: providers behind one protocol, the gate around tools, one module per host."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__all__ = [
    "AsyncConversation",
    "Companion",
    "CompositeProvider",
    "Conversation",
    "LocalProvider",
    "Part",
    "Provider",
    "RetryPolicy",
    "ToolGate",
    "VectorProvider",
    "WebhookProvider",
    "gated",
]

if TYPE_CHECKING:
    from cfpm_adapters.companion import Companion
    from cfpm_adapters.composite import CompositeProvider, Part
    from cfpm_adapters.conversation import AsyncConversation, Conversation
    from cfpm_adapters.gate import ToolGate, gated
    from cfpm_adapters.local import LocalProvider
    from cfpm_adapters.provider import Provider
    from cfpm_adapters.vector import VectorProvider
    from cfpm_adapters.webhook import RetryPolicy, WebhookProvider

# A hook process imports one module of this package, and has no time for the others.
_HOMES = {
    "AsyncConversation": "cfpm_adapters.conversation",
    "Conversation": "cfpm_adapters.conversation",
    "Companion": "cfpm_adapters.companion",
    "CompositeProvider": "cfpm_adapters.composite",
    "LocalProvider": "cfpm_adapters.local",
    "Part": "cfpm_adapters.composite",
    "RetryPolicy": "cfpm_adapters.webhook",
    "Provider": "cfpm_adapters.provider",
    "ToolGate": "cfpm_adapters.gate",
    "VectorProvider": "cfpm_adapters.vector",
    "WebhookProvider": "cfpm_adapters.webhook",
    "gated": "cfpm_adapters.gate",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
