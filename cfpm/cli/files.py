"""`backup`, `restore`, `encrypt`, `decrypt`, `rekey`: the database as a file, with all its namespaces."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cfpm.cli.location import database_url, make_room
from cfpm.cli.options import DEFAULT_NAMESPACE, AsJson, Db, Namespace, open_to_read
from cfpm.cli.output import answer
from cfpm.cli.parser import Argument, Option
from cfpm.errors import UsageError

_SET = "Set CFPM_KEY, CFPM_KEY_COMMAND or CFPM_KEY_KEYRING"


def backup(
    target: Annotated[Path, Argument(metavar="FILE", help="Where to write it; replaced if it is there.")],
    db: Db = None,
    namespace: Namespace = DEFAULT_NAMESPACE,
    as_json: AsJson = False,
) -> None:
    """Write the whole database to one file, while others may go on writing.

    The key of the audit trail (DATABASE-key) is not in it: keep a copy of that elsewhere.
    """
    with open_to_read(db, namespace) as memory:
        done = memory.back_up(target)
    rows = sum(done.rows.values())
    document = {"file": str(target), "bytes": done.size, "rows": rows, "sha256": done.sha256}
    answer(as_json, document, f"{rows} rows, {done.size} bytes written to {target} and read back")


def restore(
    source: Annotated[Path, Argument(metavar="FILE", help="What `cfpm backup` wrote.")],
    as_is: Annotated[
        bool, Option("--as-is", help="Take a plain copy of a database too, whatever it may lack.")
    ] = False,
    db: Db = None,
    namespace: Namespace = DEFAULT_NAMESPACE,
    as_json: AsJson = False,
) -> None:
    """Put a backup in the place of the database, once all of it is checked.

    Nobody may have the database open. Until the backup is found whole, the database is as it was.
    """
    from cfpm.memory import Memory

    del namespace
    url = make_room(database_url(db))
    done = Memory.restore(source, url, as_is=as_is)
    rows = sum(done.manifest.rows.values())
    told = "its audit trail is as it was sealed" if done.verified else "its audit trail could not be verified"
    answer(as_json, {"rows": rows, "verified": done.verified}, f"{rows} rows restored to {url}; {told}")


def encrypt(db: Db = None, namespace: Namespace = DEFAULT_NAMESPACE, as_json: AsJson = False) -> None:
    """Encrypt a database in plain text with the configured key (CFPM_KEY)."""
    del namespace
    _rewrite(db, None, _configured(), "encrypted", as_json=as_json)


def decrypt(db: Db = None, namespace: Namespace = DEFAULT_NAMESPACE, as_json: AsJson = False) -> None:
    """Write an encrypted database in plain text; take the key out of the configuration afterwards."""
    del namespace
    _rewrite(db, _configured(), None, "decrypted", as_json=as_json)


def rekey(db: Db = None, namespace: Namespace = DEFAULT_NAMESPACE, as_json: AsJson = False) -> None:
    """Encrypt an encrypted database with another key (CFPM_NEW_KEY); configure that one afterwards."""
    from cfpm.store.key_sources import NEXT_ENCRYPTION, encryption_key

    del namespace
    new = encryption_key(NEXT_ENCRYPTION)
    if new is None:
        raise UsageError(NEXT_ENCRYPTION, "no new key is configured", _SET.replace("CFPM_KEY", NEXT_ENCRYPTION))
    _rewrite(db, _configured(), new, "encrypted with the new key", as_json=as_json)


def _rewrite(db: str | None, old: str | None, new: str | None, done: str, *, as_json: bool) -> None:
    from cfpm.memory import Memory

    url = make_room(database_url(db))
    rows = Memory.rewrite(url, old, new)
    answer(as_json, {"rows": rows}, f"{rows} rows {done}: {url}")


def _configured() -> str:
    from cfpm.store.key_sources import ENCRYPTION, encryption_key

    key = encryption_key()
    if key is None:
        raise UsageError(ENCRYPTION, "no key is configured", _SET)
    return key
