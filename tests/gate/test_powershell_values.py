"""Whatever the folder is called, PowerShell gets exactly it, or nothing: judged by an evaluator of its own."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings

from benchmarks.gate.powershell_values import Environment, value_at
from cfpm.gate.powershell import read
from cfpm.gate.probe import Dialect
from tests.gate.windows_folders import any_folders, rewritten

HOME = "C:\\Users\\ida"
ENVIRONMENT = Environment(
    {"env:userprofile": HOME, "env:homedrive": "C:", "env:homepath": "\\Users\\ida", "name": "$x`"},
    HOME,
    {"desktop": f"{HOME}\\Desktop"},
)
COMMANDS = (
    'dir "$env:USERPROFILE\\Desktop\\a $name"',
    '$p = "${HOME}\\Desktop"',
    "dir $env:HOMEDRIVE$env:HOMEPATH\\Desktop\\a.b-c; foo",
    "Get-Content ~\\Desktop/x.txt",
    "gc '~\\Desktop\\x'",
    'Test-Path "~\\Desktop"',
    "$p = [Environment]::GetFolderPath([Environment+SpecialFolder]::Desktop)",
    '"a $([Environment]::GetFolderPath(\'Desktop\')) ""b"',
    'npm run "$HOME\\Desktop\\x"',
    "foo -x > $HOME\\Desktop\\out.txt",
)


@pytest.mark.parametrize("command", COMMANDS)
@given(path=any_folders)
@settings(max_examples=60, deadline=None)
def test_the_value_is_exactly_the_path_or_nothing_is_written(command: str, path: str) -> None:
    reading = read(command, Dialect.POWERSHELL)
    before = value_at(command, reading.probes[0].start, ENVIRONMENT)
    assert before is not None
    assert f"{HOME}\\Desktop" in before
    if written := rewritten(reading, command, path):
        after, at = written
        assert value_at(after, at, ENVIRONMENT) == before.replace(f"{HOME}\\Desktop", path)
        assert not read(after, Dialect.POWERSHELL).probes


@pytest.mark.parametrize("command", COMMANDS)
def test_beginnings_of_commands_are_read_without_error(command: str) -> None:
    for end in range(len(command)):
        read(command[:end], Dialect.POWERSHELL)


def test_random_bytes_are_never_a_probe() -> None:
    source = random.Random(20)
    for _ in range(10_000):
        data = source.randbytes(source.randrange(80))
        for text in (data.decode("latin-1"), data.decode(errors="surrogateescape")):
            assert read(text, Dialect.POWERSHELL).probes == ()


def test_random_pieces_are_read_without_error() -> None:
    source = random.Random(21)
    pieces = ["$HOME\\Desktop", '"', "'", "`", "$(", ")", "{", "}", "~\\Desktop", "\n", " ", "#", '@"\n', "é", "\ud800",
              "\0", "cd ", "[Environment]::GetFolderPath('Desktop')", "=", ",", "“"]  # fmt: skip
    for _ in range(2_000):
        command = "".join(source.choices(pieces, k=source.randrange(12)))
        reading = read(command, Dialect.POWERSHELL)
        spans = sorted(
            [(probe.start, probe.end) for probe in reading.probes] + [(seen.start, seen.end) for seen in reading.seen]
        )
        assert all(one[1] <= other[0] for one, other in pairwise(spans))
        for at, probe in enumerate(reading.probes):
            before = value_at(command, probe.start, ENVIRONMENT)
            assert before is not None, (command, at)


@pytest.mark.parametrize(
    "command",
    ["x" * 1_000_000, "~/Desktop " * 100_000, '"' * 1_000_000, "(" * 1_000_000 + '"$HOME\\Desktop"',
     "set " * 250_000 + "$HOME\\Desktop", "(" * 30_000 + '"$HOME\\Desktop"',
     "foo " + '"a",' * 8_000 + '"$HOME\\Desktop"',
     '"$(' * 8_000 + '"$HOME\\Desktop"'],
)  # fmt: skip
def test_huge_commands_are_read(command: str) -> None:
    read(command, Dialect.POWERSHELL)


@pytest.mark.parametrize(
    ("command", "value"),
    [
        ("foo '…' 'a''b'", "a'b"),
        ('foo "a`$b""c"', 'a$b"c'),
        ('foo "$name\\x"', "$x`\\x"),
        ("foo $env:USERPROFILE\\x", f"{HOME}\\x"),
        ("foo a`'b", "a'b"),
        ('foo "$unknown"', None),
        ("foo # 'a'", None),
        ('foo "open', None),
    ],
)
def test_the_evaluator_knows_its_quotes(command: str, value: str | None) -> None:
    assert value_at(command, len(command) - 1, ENVIRONMENT) == value
