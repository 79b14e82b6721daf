"""Everything the memory keeps, in one SQLite file: open it with `Store.open`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfpm.lazy import resolver

if TYPE_CHECKING:
    from cfpm.store.activity import RecallEvent
    from cfpm.store.changes import BlockKeys
    from cfpm.store.doctor import Check
    from cfpm.store.log import LastTurn
    from cfpm.store.store import Store
    from cfpm.store.transfer import ImportReport

__all__ = ["BlockKeys", "Check", "ImportReport", "LastTurn", "RecallEvent", "Store"]

__getattr__ = resolver(
    __name__,
    {
        "BlockKeys": "changes",
        "Check": "doctor",
        "ImportReport": "transfer",
        "LastTurn": "log",
        "RecallEvent": "activity",
        "Store": "store",
    },
)
