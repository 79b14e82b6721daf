"""What `cfpm doctor` says about providers, read from their ledger. Changes nothing, and asks no endpoint."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

from cfpm.model.clock import Clock, from_text, utc_now
from cfpm.store.doctor import Check
from cfpm_adapters.ledger import BUSY, FILE_NAME, default_file

FORGIVEN = timedelta(days=7)
"""A failure this old is none of today's worries, unless something waits."""

_WAITING = """
SELECT coalesce(sum(n), 0), coalesce(sum(refused), 0) FROM (
  SELECT count(*) AS n, 0 AS refused FROM waiting WHERE provider = :provider UNION ALL
  SELECT coalesce(sum(messages), 0), coalesce(sum(messages * (refused <> '')), 0)
  FROM batches WHERE provider = :provider
)
"""

_OUTCOMES = """
SELECT verb, ok, detail, at, (
  SELECT coalesce(sum(count), 0) FROM failures AS f WHERE f.provider = o.provider AND f.verb = o.verb
) FROM outcomes AS o WHERE provider = ? ORDER BY verb
"""


def checks(database: Path | None, clock: Clock = utc_now) -> list[Check]:
    """One check a provider, from the user's own ledger and from one beside the database; none if there is no ledger."""
    files = [default_file(), *([database.parent / FILE_NAME] if database is not None else [])]
    found: list[Check] = []
    for file in dict.fromkeys(path.absolute() for path in files):
        if file.is_file():
            found += _ledger(file, clock)
    return found


def _ledger(file: Path, clock: Clock) -> list[Check]:
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, timeout=BUSY)) as db:
            return list(_providers(db, clock))
    except sqlite3.Error as error:
        remedy = "It holds counts and unsent messages of providers; move it away to begin a new one"
        return [Check("providers", False, f"{file}: {error}. {remedy}")]


def _providers(db: sqlite3.Connection, clock: Clock) -> Iterator[Check]:
    names = "SELECT provider FROM outcomes UNION SELECT provider FROM waiting UNION SELECT provider FROM batches"
    for (provider,) in db.execute(f"{names} ORDER BY 1").fetchall():
        waiting, refused = db.execute(_WAITING, {"provider": provider}).fetchone()
        told, ok = [], not refused
        for verb, works, detail, at, failures in db.execute(_OUTCOMES, (provider,)).fetchall():
            total = f", {failures} failures so far" if failures else ""
            told.append(f"{verb} works{total}" if works else f"{verb} failed last at {at[:19]}Z ({detail}){total}")
            # What failed long ago is not used any more; what waits that long is forgotten by somebody.
            old = (moment := from_text(at)) is not None and clock() - moment >= FORGIVEN
            ok &= not waiting if old else bool(works)
        if waiting:
            told.append(f"{waiting} messages wait to be sent")
        if refused:
            told.append(f"{refused} of them were refused and wait for flush(refused=True)")
        yield Check(str(provider), ok, "; ".join(told))
