"""What the tests of the POSIX reader share: reading a command, and writing a path in place of its probes."""

from __future__ import annotations

from cfpm.gate.decision import Reason
from cfpm.gate.probe import Dialect, Probe
from cfpm.gate.shells.posix.reader import read


def rewritten(command: str, path: str = "/data/D", dialect: Dialect = Dialect.BASH) -> str:
    """The command with `path` in place of every probe that it can be written for."""
    for probe in reversed(read(command, dialect).probes):
        text = probe.write(path)
        if text is not None:
            command = command[: probe.start] + text + command[probe.end :]
    return command


def only_probe(command: str, dialect: Dialect = Dialect.BASH) -> Probe:
    reading = read(command, dialect)
    assert len(reading.probes) == 1, reading
    return reading.probes[0]


def passed(command: str, dialect: Dialect = Dialect.BASH) -> list[Reason]:
    """The reasons for all look-alikes of a command that has no probe."""
    reading = read(command, dialect)
    assert reading.probes == (), reading
    return [seen.reason for seen in reading.seen]
