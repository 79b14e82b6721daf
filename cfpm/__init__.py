"""CFPM: a persistent memory for agents that can be audited. The public names, resolved on first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

_HOMES = {
    "Memory": "cfpm.memory",
    "AsyncMemory": "cfpm.async_memory",
    "Settings": "cfpm.settings",
    "Category": "cfpm.model",
    "Candidate": "cfpm.model",
    "Decision": "cfpm.model",
    "Event": "cfpm.model",
    "Fact": "cfpm.model",
    "Message": "cfpm.model",
    "Role": "cfpm.model",
    "Status": "cfpm.model",
    "CFPMError": "cfpm.errors",
    "InputError": "cfpm.errors",
    "NotFoundError": "cfpm.errors",
    "StoreError": "cfpm.errors",
    "UsageError": "cfpm.errors",
    "utc_now": "cfpm.model.clock",
}

__all__ = [
    "AsyncMemory",
    "CFPMError",
    "Candidate",
    "Category",
    "Decision",
    "Event",
    "Fact",
    "InputError",
    "Memory",
    "Message",
    "NotFoundError",
    "Role",
    "Settings",
    "Status",
    "StoreError",
    "UsageError",
    "__version__",
    "utc_now",
]

if TYPE_CHECKING:
    from cfpm.async_memory import AsyncMemory
    from cfpm.errors import CFPMError, InputError, NotFoundError, StoreError, UsageError
    from cfpm.memory import Memory
    from cfpm.model import Candidate, Category, Decision, Event, Fact, Message, Role, Status
    from cfpm.model.clock import utc_now
    from cfpm.settings import Settings


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
