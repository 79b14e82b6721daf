"""The tables of the memory, declared once with SQLModel: the only place where tables, columns and indices are named.

`python -m cfpm.store.tables` writes them down in `store/schema.json`, which is what the store reads: to import sqlmodel
costs a second, and a Core statement three times the time of the same statement on the driver's connection. A change
here is a new step in `store/migrations.py` as well; tests compare the tables with the file and with the steps.
"""

from __future__ import annotations

from cfpm.store.tables.audit import (
    CandidateCount,
    GateEvent,
    MemoryCandidate,
    MemoryEvent,
    RecallEvent,
    StoreState,
    TrailLink,
)
from cfpm.store.tables.base import SchemaMigration, Table
from cfpm.store.tables.deeds import DeedGap, MemoryDeed
from cfpm.store.tables.documents import Document, DocumentChunk, DocumentVector
from cfpm.store.tables.erasure import DatabaseKey, Erasure, KeptOut, Tombstone, TombstoneWord
from cfpm.store.tables.facts import FactBlock, FactCount, MemoryFact
from cfpm.store.tables.log import MemoryCall, MemoryTurn, SeenLine
from cfpm.store.tables.sessions import MessageDetails, SessionEntry
from cfpm.store.tables.state import MemoryApproval, MemoryState
from cfpm.store.tables.vectors import FactVector, SentenceVector, TurnVector, VectorSpace

__all__ = [
    "VERSION",
    "CandidateCount",
    "DatabaseKey",
    "DeedGap",
    "Document",
    "DocumentChunk",
    "DocumentVector",
    "Erasure",
    "FactBlock",
    "FactCount",
    "FactVector",
    "GateEvent",
    "KeptOut",
    "MemoryApproval",
    "MemoryCall",
    "MemoryCandidate",
    "MemoryDeed",
    "MemoryEvent",
    "MemoryFact",
    "MemoryState",
    "MemoryTurn",
    "MessageDetails",
    "RecallEvent",
    "SchemaMigration",
    "SeenLine",
    "SentenceVector",
    "SessionEntry",
    "StoreState",
    "Table",
    "Tombstone",
    "TombstoneWord",
    "TrailLink",
    "TurnVector",
    "VectorSpace",
]

VERSION = 13
"""The last step of `store/migrations.py`, which leads from an older file to these tables."""
