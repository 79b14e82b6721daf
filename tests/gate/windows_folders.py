"""Folders that try to break out of the place they are written to, and ways to read a command. No rule is tested."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from cfpm.gate.probe import Dialect, Reading

PLAIN = "D:\\OneDrive\\Desktop"
SPACED = "D:\\One Drive\\Desktop"

_PIECES = [*"abZ019 .,-_+=~@#$%&;!^'`\"()[]{}*?<>|äé漢😀‘’‚‛“”„\u202e\u200f\u2028\n\r\t\0", "$(calc)",
           "$user", "%PATH%", "\\", "/", "&calc&", "';calc;'", '"; calc; "', "`n", "!x!", "^&", "..",
           "OneDrive - Ä", "\ud800"]  # fmt: skip
_NAMES = st.lists(st.sampled_from(_PIECES), max_size=6).map("".join)

windows_folders = st.builds(lambda name, last: f"C:\\{name}\\{last}", _NAMES, _NAMES)
posix_folders = st.builds(lambda name: f"/home/{name}/Desktop", _NAMES)
any_folders = st.one_of(windows_folders, posix_folders, _NAMES, st.text(max_size=20))


def rewritten(reading: Reading, command: str, path: str) -> tuple[str, int] | None:
    """The command with the path in place of its first probe, and where it begins; None when it cannot be written."""
    probe = reading.probes[0]
    text = probe.write(path)
    if text is None:
        return None
    return command[: probe.start] + text + command[probe.end :], probe.start


def reasons(read: Callable[[str, Dialect], Reading], command: str, dialect: Dialect) -> list[str]:
    """Why nothing of the command is a probe."""
    reading = read(command, dialect)
    assert not reading.probes, reading.probes
    return [str(seen.reason) for seen in reading.seen]
