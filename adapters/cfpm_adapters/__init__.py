"""What connects the memory to hosts: providers behind one protocol, the gate around tools, one module per host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfpm.lazy import resolver

__all__ = [
    "CompositeProvider",
    "LocalProvider",
    "Part",
    "Patience",
    "Provider",
    "ToolGate",
    "VectorProvider",
    "WebhookProvider",
    "gated",
]

if TYPE_CHECKING:
    from cfpm_adapters.composite import CompositeProvider, Part
    from cfpm_adapters.gate import ToolGate, gated
    from cfpm_adapters.local import LocalProvider
    from cfpm_adapters.provider import Provider
    from cfpm_adapters.vector import VectorProvider
    from cfpm_adapters.webhook import Patience, WebhookProvider

# A hook process imports one module of this package, and has no time for the others.
__getattr__ = resolver(
    __name__,
    {
        "CompositeProvider": "composite",
        "LocalProvider": "local",
        "Part": "composite",
        "Patience": "webhook",
        "Provider": "provider",
        "ToolGate": "gate",
        "VectorProvider": "vector",
        "WebhookProvider": "webhook",
        "gated": "gate",
    },
)
