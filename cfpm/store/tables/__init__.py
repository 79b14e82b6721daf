"""The tables of the memory, declared once with SQLModel: for whoever wants to query the file with models of their own.

Nothing that stores or recalls imports this package: `import sqlmodel` costs a second, and a Core statement three times
the time of the same statement on the driver's connection. `store/schema/*.sql` builds the same tables; a test compares
both.
"""

from __future__ import annotations

from cfpm.store.tables.audit import GateEvent, MemoryCandidate, MemoryEvent, RecallEvent
from cfpm.store.tables.base import SchemaMigration, Table
from cfpm.store.tables.facts import FactBlock, FactCount, MemoryFact
from cfpm.store.tables.log import MemoryCall, MemoryTurn, SeenLine
from cfpm.store.tables.vectors import FactVector, TurnVector, VectorSpace

__all__ = [
    "FactBlock",
    "FactCount",
    "FactVector",
    "GateEvent",
    "MemoryCall",
    "MemoryCandidate",
    "MemoryEvent",
    "MemoryFact",
    "MemoryTurn",
    "RecallEvent",
    "SchemaMigration",
    "SeenLine",
    "Table",
    "TurnVector",
    "VectorSpace",
]
