"""Whatever the folder is called, a program run by cmd gets exactly it, or nothing: judged by its own evaluator."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings

from benchmarks.gate.cmd_values import value_at
from cfpm.gate.cmd import read
from cfpm.gate.probe import Dialect
from tests.gate.windows_folders import any_folders, rewritten

HOME = "C:\\Users\\ida"
VARIABLES = {"USERPROFILE": HOME, "HOMEDRIVE": "C:", "HOMEPATH": "\\Users\\ida", "SYSTEMDRIVE": "C:", "X": "y"}
COMMANDS = (
    'dir "%USERPROFILE%\\Desktop\\a b" /s',
    "dir %userprofile%\\Desktop\\a & cd",
    "type a > %HOMEDRIVE%%HOMEPATH%\\Desktop\\b",
    'set "P=%SystemDrive%%HOMEPATH%\\Desktop\\%X%"',
    'for %%i in (*) do copy "%%i" "%USERPROFILE%\\Desktop"',
    'call :sub "%USERPROFILE%\\Desktop\\x"',
    "docker run -v %USERPROFILE%\\Desktop:/d x",
)


@pytest.mark.parametrize("command", COMMANDS)
@given(path=any_folders)
@settings(max_examples=80, deadline=None)
def test_the_value_is_exactly_the_path_or_nothing_is_written(command: str, path: str) -> None:
    reading = read(command, Dialect.CMD)
    before = value_at(command, reading.probes[0].start, VARIABLES)
    assert before is not None
    assert f"{HOME}\\Desktop" in before
    if written := rewritten(reading, command, path):
        after, at = written
        assert value_at(after, at, VARIABLES) == before.replace(f"{HOME}\\Desktop", path)
        assert not read(after, Dialect.CMD).probes


@pytest.mark.parametrize("command", COMMANDS)
def test_beginnings_of_commands_are_read_without_error(command: str) -> None:
    for end in range(len(command)):
        read(command[:end], Dialect.CMD)


def test_random_bytes_are_never_a_probe() -> None:
    source = random.Random(22)
    for _ in range(10_000):
        data = source.randbytes(source.randrange(80))
        for text in (data.decode("latin-1"), data.decode(errors="surrogateescape")):
            assert read(text, Dialect.CMD).probes == ()


def test_random_pieces_are_read_as_the_evaluator_reads_them() -> None:
    source = random.Random(23)
    pieces = ["%USERPROFILE%\\Desktop", '"', "^", "%", "%X%", "&", "(", ")", "\n", " ", "rem ", "set ", "=", ";", "é",
              "\ud800", "\0", "\r",
              "dir ", "|", ">", "%%"]  # fmt: skip
    for _ in range(5_000):
        command = "".join(source.choices(pieces, k=source.randrange(12)))
        reading = read(command, Dialect.CMD)
        for probe in reading.probes:
            text = probe.write("D:\\a\\b")
            assert text is not None
            after = command[: probe.start] + text + command[probe.end :]
            before = value_at(command, probe.start, VARIABLES, unknown="u")
            assert before is not None, command
            wanted = before.replace(f"{HOME}\\Desktop", "D:\\a\\b", 1)
            assert value_at(after, probe.start, VARIABLES, unknown="u") in (
                wanted,
                wanted.replace(f"{HOME}\\Desktop", "D:\\a\\b"),
            )


@pytest.mark.parametrize(
    "command",
    ["x" * 1_000_000, "%USERPROFILE%\\Desktop " * 40_000, '"' * 1_000_000,
     "set" + " " * 150_000 + "\ndir %USERPROFILE%\\Desktop",
     "%" * 8_000 + "%USERPROFILE%\\Desktop", "dir\n" * 40_000 + "dir %USERPROFILE%\\Desktop"],
)  # fmt: skip
def test_huge_commands_are_read(command: str) -> None:
    read(command, Dialect.CMD)


@pytest.mark.parametrize(
    ("command", "value"),
    [
        ('dir "a b"c', "a bc"),
        ("dir %X%z", "yz"),
        ("dir %%X%%", "%X%"),
        ("dir %UNKNOWN%", None),
        ("rem a", None),
        ('dir "open', None),
        ("dir a^&b", None),
    ],
)
def test_the_evaluator_knows_its_quotes(command: str, value: str | None) -> None:
    assert value_at(command, len(command) - 1, VARIABLES) == value


def test_at_the_prompt_only_known_variables_are_put_in() -> None:
    command = 'for %i in (*) do copy %i "%USERPROFILE%\\Desktop"'
    assert value_at(command, command.index("%USER"), VARIABLES, batch=False) == f"{HOME}\\Desktop"
