"""CFPM: a persistent memory for agents that can be audited. The public names, resolved on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfpm.lazy import resolver

__version__ = "0.1.0"

_HOMES = {
    "Memory": "cfpm.memory",
    "AsyncMemory": "cfpm.async_memory",
    "Settings": "cfpm.settings",
    "Category": "cfpm.models",
    "Candidate": "cfpm.models",
    "Decision": "cfpm.models",
    "Event": "cfpm.models",
    "Fact": "cfpm.models",
    "Message": "cfpm.models",
    "Role": "cfpm.models",
    "Status": "cfpm.models",
    "CFPMError": "cfpm.errors",
    "InputError": "cfpm.errors",
    "NotFoundError": "cfpm.errors",
    "StoreError": "cfpm.errors",
    "UsageError": "cfpm.errors",
    "utc_now": "cfpm.clock",
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
    from cfpm.clock import utc_now
    from cfpm.errors import CFPMError, InputError, NotFoundError, StoreError, UsageError
    from cfpm.memory import Memory
    from cfpm.models import Candidate, Category, Decision, Event, Fact, Message, Role, Status
    from cfpm.settings import Settings

# SQLModel alone costs 750 ms to import, so nothing heavy is loaded before it is asked for.
__getattr__ = resolver(__name__, _HOMES)
