"""Keys that open or seal a memory: from the environment, a keyring, a command, or for seals a file beside the database.

Never from `cfpm.toml`: that of a foreign folder could name a command to run. Keys are in no error and in no log.
"""

from __future__ import annotations

import hashlib
import os
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from cfpm.errors import MissingExtraError, StoreError, UsageError
from cfpm.paths.private_files import keep_private, private_opener

if TYPE_CHECKING:
    from pathlib import Path

ENCRYPTION = "CFPM_KEY"
"""The variable with the key of the whole file; with `_COMMAND` or `_KEYRING` behind it, where the key comes from."""

NEXT_ENCRYPTION = "CFPM_NEW_KEY"
"""The same for the key that `cfpm rekey` sets."""

SEALING = "CFPM_AUDIT_KEY"
"""The same for the key that seals the audit trail."""

SHORTEST = 12
"""Characters of a key; a shorter one is guessed, however slowly each guess is tried."""

_SECONDS = 60.0
"""How long a command may take: it may ask a person."""

_RAW = re.compile(r"[0-9a-fA-F]{64}")
_KEY_BYTES = 32


def encryption_key(name: str = ENCRYPTION) -> str | None:
    """The key of the file, or None when none is configured. Raises UsageError, MissingExtraError."""
    return _configured(name)


def is_raw(key: str) -> bool:
    """True for 64 hexadecimal digits, which are a key; else it is a passphrase, stretched at each opening."""
    return _RAW.fullmatch(key) is not None


def sealing_key(file: Path | None, url: str, *, create: bool) -> bytes | None:
    """The key of the audit trail: the configured one, else that of the file, which is made if `create`; None if there
    is none. Raises StoreError for a file that holds no key."""
    if (configured := _configured(SEALING)) is not None:
        return hashlib.sha256(b"cfpm audit key\0" + configured.encode()).digest()
    if file is None:
        return None
    try:
        text = file.read_bytes().decode(errors="replace").strip()
    except FileNotFoundError:
        text = ""
    except OSError as error:
        raise StoreError(url, f"{file} cannot be read", "Give this user permission to read it") from error
    if text:
        if not is_raw(text):
            raise StoreError(url, f"{file} holds no key", "Put the file back from a copy, or: cfpm audit reseal")
        keep_private(file)
        return bytes.fromhex(text)
    return _made(file) if create else None


def key_id(key: bytes) -> str:
    """A name for a key from which it cannot be told."""
    return hashlib.sha256(b"cfpm key id\0" + key).hexdigest()[:16]


def _made(file: Path) -> bytes:
    key = os.urandom(_KEY_BYTES)
    with open(file, "wb", opener=private_opener) as stream:
        stream.write(key.hex().encode() + b"\n")
        stream.flush()
        os.fsync(stream.fileno())
    return key


def _configured(name: str) -> str | None:
    sources = {ending: os.environ.get(name + ending, "") for ending in ("", "_COMMAND", "_KEYRING")}
    given = [ending for ending, value in sources.items() if value.strip()]
    if not given:
        return None
    if len(given) > 1:
        raise UsageError(name, "the key comes from more than one place", f"Set only one of {_names(name, given)}")
    return _read(name, given[0], sources[given[0]])


def _names(name: str, endings: list[str]) -> str:
    return ", ".join(name + ending for ending in endings)


@lru_cache(maxsize=8)
def _read(name: str, ending: str, value: str) -> str:
    """The key itself. Asked for once by a process, since a command may ask a person."""
    if ending == "_COMMAND":
        key = _of_command(value).strip()
    else:
        key = _of_keyring(value) if ending == "_KEYRING" else value.strip()
    if len(key) < SHORTEST:
        remedy = f"Use 64 hexadecimal digits, or a passphrase of at least {SHORTEST} characters"
        raise UsageError(name + ending, f"the key has {len(key)} characters", remedy)
    return key


def _of_command(command: str) -> str:
    import shlex
    import subprocess

    try:
        done = subprocess.run(
            shlex.split(command), stdout=subprocess.PIPE, check=True, timeout=_SECONDS, text=True, encoding="utf-8"
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        problem = f"the command gave no key ({type(error).__name__})"
        raise UsageError(
            "the command for a key", problem, "Run it by hand: it must print the key and nothing else"
        ) from None
    return done.stdout


def _of_keyring(entry: str) -> str:
    service, _, user = entry.partition(":")
    try:
        import keyring
    except ImportError as error:
        raise MissingExtraError("A key from the keyring", "keyring") from error
    key = keyring.get_password(service, user)
    if key is None:
        raise UsageError(entry, "the keyring has no such entry", f"Make it with: keyring set {service} {user}")
    return str(key)
