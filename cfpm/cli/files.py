"""`backup`, `restore`, `encrypt`, `decrypt`, `rekey`: the database as a file, with all its namespaces."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from cfpm.cli.location import default_file, make_room
from cfpm.cli.options import Common
from cfpm.cli.parser import Argument, Option
from cfpm.errors import UsageError

_SET = "Set CFPM_KEY, CFPM_KEY_COMMAND or CFPM_KEY_KEYRING"


def backup(
    target: Annotated[Path, Argument(metavar="FILE", help="Where to write it; replaced if it is there.")],
    common: Common,
) -> None:
    """Write the whole database to one file, while others may go on writing.

    The key of the audit trail (DATABASE-key) is not in it: keep a copy of that elsewhere.
    """
    with common.to_read() as memory:
        done = memory.back_up(target)
    rows = sum(done.rows.values())
    document = {"file": str(target), "bytes": done.size, "rows": rows, "sha256": done.sha256}
    common.answer(document, f"{rows} rows, {done.size} bytes written to {target} and read back")


def restore(
    source: Annotated[Path, Argument(metavar="FILE", help="What `cfpm backup` wrote.")],
    as_is: Annotated[
        bool, Option("--as-is", help="Take a plain copy of a database too, whatever it may lack.")
    ] = False,
    *,
    common: Common,
) -> None:
    """Put a backup in the place of the database, once all of it is checked.

    Nobody may have the database open. Until the backup is found whole, the database is as it was.
    """
    from cfpm.memory import Memory

    if as_is and common.db is None and not os.environ.get("CFPM_DB"):
        problem = "no database is named, and a plain copy would take the place of your own"
        raise UsageError("--as-is", problem, f"Say which: --db FILE, or --db {default_file()}")
    url = make_room(common.url)
    done = Memory.restore(source, url, as_is=as_is)
    rows = sum(done.manifest.rows.values())
    told = "its audit trail is as it was sealed" if done.verified else "its audit trail could not be verified"
    common.answer({"rows": rows, "verified": done.verified}, f"{rows} rows restored to {url}; {told}")


def encrypt(common: Common) -> None:
    """Encrypt a database in plain text with the configured key (CFPM_KEY)."""
    _rewrite(common, None, _configured(), "encrypted")


def decrypt(common: Common) -> None:
    """Write an encrypted database in plain text; take the key out of the configuration afterwards."""
    _rewrite(common, _configured(), None, "decrypted")


def rekey(common: Common) -> None:
    """Encrypt an encrypted database with another key (CFPM_NEW_KEY); configure that one afterwards."""
    from cfpm.store.key_sources import NEXT_ENCRYPTION, encryption_key

    new = encryption_key(NEXT_ENCRYPTION)
    if new is None:
        raise UsageError(NEXT_ENCRYPTION, "no new key is configured", _SET.replace("CFPM_KEY", NEXT_ENCRYPTION))
    _rewrite(common, _configured(), new, "encrypted with the new key")


def _rewrite(common: Common, old: str | None, new: str | None, done: str) -> None:
    from cfpm.memory import Memory

    url = make_room(common.url)
    rows = Memory.rewrite(url, old, new)
    common.answer({"rows": rows}, f"{rows} rows {done}: {url}")


def _configured() -> str:
    from cfpm.store.key_sources import ENCRYPTION, encryption_key

    key = encryption_key()
    if key is None:
        raise UsageError(ENCRYPTION, "no key is configured", _SET)
    return key
