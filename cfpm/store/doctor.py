"""Is the store healthy? Every check reads; none repairs. Not for judging what is believed."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cfpm.errors import StoreError
from cfpm.store.facts import LEARNT
from cfpm.store.location import MEMORY
from cfpm.store.migrations import MIGRATIONS, indices, schema_version
from cfpm.store.search import NOT_SEARCHED
from cfpm.store.vectors import Vectors

if TYPE_CHECKING:
    from collections.abc import Callable

MIN_FREE_BYTES = 256 * 1024 * 1024
"""Under this a large import could fill the disk."""

_EXPORT = "Run `cfpm export`, and `cfpm import` it into a new file"
_NOT_SEARCHED = ", ".join(f"'{origin.value}'" for origin in sorted(NOT_SEARCHED))
_WRONG_COUNTS = f"""
WITH real AS (
  SELECT namespace, category, count(*) AS active, sum({LEARNT}) AS learnt
  FROM memory_facts WHERE status = 'active' GROUP BY 1, 2
), kept AS (SELECT namespace, category, active, learnt FROM fact_counts WHERE active <> 0 OR learnt <> 0)
SELECT count(*) FROM (SELECT * FROM real EXCEPT SELECT * FROM kept) UNION ALL
SELECT count(*) FROM (SELECT * FROM kept EXCEPT SELECT * FROM real)
"""
_WRONG_VERDICTS = """
WITH real AS (SELECT namespace, decision, reason, category, count(*) FROM memory_candidates GROUP BY 1, 2, 3, 4),
kept AS (SELECT * FROM candidate_counts WHERE candidates <> 0)
SELECT count(*) FROM (SELECT * FROM real EXCEPT SELECT * FROM kept) UNION ALL
SELECT count(*) FROM (SELECT * FROM kept EXCEPT SELECT * FROM real)
"""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. `detail` says what was found and, if it is not ok, what to do."""

    name: str
    ok: bool
    detail: str


class Doctor(Vectors):
    """The part of the store that examines it."""

    def doctor(self) -> list[Check]:
        """Examines the whole file; takes as long as reading it once. A check that cannot be made is not ok."""
        checks = (
            self._integrity,
            self._journal,
            self._schema,
            self._turns_text,
            self._facts_text,
            self._vectors,
            self._counts,
        )
        return [*map(_made, checks), self._disk()]

    def _integrity(self) -> Check:
        found = [text for (text,) in self._db.rows("PRAGMA integrity_check(5)")]
        if found == ["ok"]:
            return Check("integrity", True, "every page and index is sound")
        return Check("integrity", False, f"{'; '.join(found)}. {_EXPORT}, or restore a backup")

    def _journal(self) -> Check:
        row = self._db.row("PRAGMA journal_mode")
        mode = str(row[0]) if row else ""
        wanted = "memory" if self._db.path == MEMORY else "wal"
        remedy = "" if mode == wanted else ". Open it once for writing with no other process on it"
        return Check("journal", mode == wanted, f"journal mode {mode}{remedy}")

    def _schema(self) -> Check:
        version, latest = schema_version(self._db), len(MIGRATIONS)
        steps = self._db.number("SELECT count(*) FROM schema_migrations")
        # Listings of the audit trail name theirs, and fail without it.
        there = {name for (name,) in self._db.rows("SELECT name FROM sqlite_master WHERE type = 'index'")}
        lost = sorted(indices() - there)
        remedy = f", without the indices {', '.join(lost)}. {_EXPORT}" if lost else ""
        ok = version == latest == steps and not lost
        return Check("schema", ok, f"version {version} of {latest}, {steps} steps in the ledger{remedy}")

    def _turns_text(self) -> Check:
        wanted = f"SELECT count(*) FROM memory_turns WHERE origin NOT IN ({_NOT_SEARCHED})"
        return self._full_text("turns_text", wanted)

    def _facts_text(self) -> Check:
        return self._full_text("facts_text", "SELECT count(*) FROM memory_facts")

    def _vectors(self) -> Check:
        if self.embedder is None:
            return Check("vectors", True, "not wanted: words alone find messages and facts")
        behind = self.behind()
        remedy = ". Run `cfpm reindex`" if behind else ""
        return Check("vectors", behind == 0, f"{behind} rows without a vector of {self.embedder.name}{remedy}")

    def _full_text(self, name: str, wanted: str) -> Check:
        have, want = self._db.number(f"SELECT count(*) FROM {name}_docsize"), self._db.number(wanted)
        return Check(name, have == want, f"{have} of {want} rows indexed" + ("" if have == want else f". {_EXPORT}"))

    def _counts(self) -> Check:
        wrong = sum(count for sql in (_WRONG_COUNTS, _WRONG_VERDICTS) for (count,) in self._db.rows(sql))
        remedy = f". {_EXPORT}" if wrong else ""
        return Check("counts", wrong == 0, f"{wrong} categories or verdicts miscounted{remedy}")

    def _disk(self) -> Check:
        if self._db.path == MEMORY:
            return Check("disk", True, "in memory")
        path = Path(self._db.path)
        free, size = shutil.disk_usage(path.absolute().parent).free, path.stat().st_size
        ok = free >= MIN_FREE_BYTES
        detail = f"{free // 2**20} MiB free, the database has {size // 2**20} MiB"
        return Check("disk", ok, detail if ok else f"{detail}. Free some space")


def _made(check: Callable[[], Check]) -> Check:
    try:
        return check()
    except StoreError as error:
        return Check(check.__name__.removeprefix("_"), False, f"{error.problem}. {error.remedy}")
