"""What connects the memory to hosts: providers behind one protocol, the gate around tools, one module per host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfpm.lazy import resolver

__all__ = ["LocalProvider", "Provider", "ToolGate", "VectorProvider", "gated"]

if TYPE_CHECKING:
    from cfpm_adapters.gate import ToolGate, gated
    from cfpm_adapters.local import LocalProvider
    from cfpm_adapters.provider import Provider
    from cfpm_adapters.vector import VectorProvider

# A hook process imports one module of this package, and has no time for the others.
__getattr__ = resolver(
    __name__,
    {
        "LocalProvider": "local",
        "Provider": "provider",
        "ToolGate": "gate",
        "VectorProvider": "vector",
        "gated": "gate",
    },
)
