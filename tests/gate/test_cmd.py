"""What commands of cmd have for probes, each with the command as it would run, and what is left alone and why."""

from __future__ import annotations

import pytest

from cfpm.gate.decision import Reason
from cfpm.gate.probe import Dialect
from cfpm.gate.shells.cmd.reader import read
from cfpm.model.known_folders import Folder
from tests.gate.windows_folders import PLAIN, SPACED, reasons

HOME = "%USERPROFILE%"


def run(command: str, path: str = SPACED) -> str:
    """The command with the path in place of every probe."""
    for probe in reversed(read(command, Dialect.CMD).probes):
        text = probe.write(path)
        assert text is not None
        command = command[: probe.start] + text + command[probe.end :]
    return command


def why(command: str) -> list[str]:
    return reasons(read, command, Dialect.CMD)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('dir "%USERPROFILE%\\Desktop" /s', 'dir "D:\\One Drive\\Desktop" /s'),
        ('copy a "%userprofile%/desktop/a b" && del a', 'copy a "D:\\One Drive\\Desktop/a b" && del a'),
        ('set "OUT=%USERPROFILE%\\Desktop\\%DATE:~0,4%.txt"', 'set "OUT=D:\\One Drive\\Desktop\\%DATE:~0,4%.txt"'),
        ('set "PATH=%PATH%;%USERPROFILE%\\Desktop;%X%"', 'set "PATH=%PATH%;D:\\One Drive\\Desktop;%X%"'),
        ('dir "%HOMEDRIVE%%HOMEPATH%\\Desktop"', 'dir "D:\\One Drive\\Desktop"'),
        ('dir "%SystemDrive%%HOMEPATH%\\Desktop\\"', 'dir "D:\\One Drive\\Desktop\\"'),
        ('if not exist "%USERPROFILE%\\Desktop\\a" (dir) else (cd)',
         'if not exist "D:\\One Drive\\Desktop\\a" (dir) else (cd)'),
        ('for %%i in (*) do copy "%%i" "%USERPROFILE%\\Desktop"',
         'for %%i in (*) do copy "%%i" "D:\\One Drive\\Desktop"'),
        ('for %i in (*) do copy %i "%USERPROFILE%\\Desktop"', 'for %i in (*) do copy %i "D:\\One Drive\\Desktop"'),
        ('@call :x "%USERPROFILE%\\Desktop"\r\ngoto end', '@call :x "D:\\One Drive\\Desktop"\r\ngoto end'),
        ('start "" "%USERPROFILE%\\Desktop\\é.txt"', 'start "" "D:\\One Drive\\Desktop\\é.txt"'),
    ],
)  # fmt: skip
def test_in_quotes(before: str, after: str) -> None:
    assert run(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("dir %USERPROFILE%\\Desktop", "dir D:\\OneDrive\\Desktop"),
        ("type a > %USERPROFILE%\\Desktop\\b", "type a > D:\\OneDrive\\Desktop\\b"),
        ("cd %USERPROFILE%\\Desktop & dir", "cd D:\\OneDrive\\Desktop & dir"),
        ("set X=%USERPROFILE%\\Desktop", "set X=D:\\OneDrive\\Desktop"),
        ("docker run -v %USERPROFILE%\\Desktop:/d x", "docker run -v D:\\OneDrive\\Desktop:/d x"),
        ("%USERPROFILE%\\Desktop\\x.exe -a", "D:\\OneDrive\\Desktop\\x.exe -a"),
        ("if exist %USERPROFILE%\\desktop\\a.lnk goto end", "if exist D:\\OneDrive\\Desktop\\a.lnk goto end"),
    ],
)
def test_outside_quotes_only_a_plain_path(before: str, after: str) -> None:
    assert run(before, PLAIN) == after
    for path in (SPACED, "D:\\a&b", "D:\\ä", "D:\\a;b", "D:\\a(b", "D:\\a'b"):
        assert read(before, Dialect.CMD).probes[0].write(path) is None


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("rem %USERPROFILE%\\Desktop", "comment"),
        ("@REM %USERPROFILE%\\Desktop", "comment"),
        (":: %USERPROFILE%\\Desktop", "comment"),
        (":label %USERPROFILE%\\Desktop", "comment"),
        ("dir & rem %USERPROFILE%\\Desktop", "comment"),
        ('dir "%USERPROFILE%\\Desktop', "cannot_parse"),
        ('dir "%USERPROFILE%\\Desktop" %a"b%', "cannot_parse"),
        ('dir "%USERPROFILE%\\Desktop" %a&b%', "unsupported_place"),
        ("dir %%USERPROFILE%%\\Desktop", "unsupported_place"),
        ("dir ^%USERPROFILE%\\Desktop", "unsupported_place"),
        ("dir %USERPROFILE:~0,9%\\Desktop", "unsupported_place"),
        ("dir %A%USERPROFILE%\\Desktop", "unsupported_place"),
        ("dir !USERPROFILE!\\Desktop", "unsupported_place"),
        ("dir C:%HOMEPATH%\\Desktop", "unsupported_place"),
        ("dir ^\r\n%USERPROFILE%\\Desktop", "unsupported_place"),
        ("dir file:%USERPROFILE%\\Desktop", "unsupported_place"),
        ('dir "%USERPROFILE%\\Desktop\\..\\a"', "unsupported_place"),
        ('rd /s /q "%USERPROFILE%\\Desktop"', "unsupported_place"),
        ("del /q %USERPROFILE%\\Desktop\\*.*", "unsupported_place"),
        ('move "%USERPROFILE%\\Desktop" b', "unsupported_place"),
        ("echo it lies in %USERPROFILE%\\Desktop", "unsupported_place"),
        ('dir "%USERPROFILE%\\Desktop-backup"', "longer_name"),
        ('dir "%USERPROFILE%\\Desktop backup"', "longer_name"),
        ("dir %USERPROFILE%\\Desktop.lnk", "longer_name"),
        ("cd %USERPROFILE%\\Desktop backup", "longer_name"),
        ('powershell -c "dir %USERPROFILE%\\Desktop"', "nested_language"),
        ("cmd /c dir %USERPROFILE%\\Desktop", "nested_language"),
        ("python -c \"open(r'%USERPROFILE%\\Desktop\\a')\"", "nested_language"),
        ("for /f %%i in ('dir %USERPROFILE%\\Desktop') do echo %%i", "nested_language"),
        ("echo %USERPROFILE%\\Desktop | bash", "nested_language"),
        ("ssh box dir %USERPROFILE%\\Desktop", "remote_host"),
        ("scp box:a %USERPROFILE%\\Desktop", "remote_host"),
        ("docker exec box ls %USERPROFILE%\\Desktop", "remote_host"),
        ('findstr "%USERPROFILE%\\Desktop" a.txt', "pattern"),
        ('if "%CD%"=="%USERPROFILE%\\Desktop" dir', "pattern"),
        ("dir ~\\Desktop", "string_literal"),
        ("dir $HOME\\Desktop", "string_literal"),
        ('$p = "$env:USERPROFILE\\Desktop"', "string_literal"),
    ],
)
def test_left_alone(command: str, reason: str) -> None:
    assert why(command) == [reason]


@pytest.mark.parametrize(
    "change",
    ["set USERPROFILE=x", 'set "userprofile=x"', "set /p USERPROFILE=?", "s^et USERPROFILE=x", "set HOMEPATH=x"],
)
def test_home_that_the_command_changes(change: str) -> None:
    assert why(f"{change}\ndir %USERPROFILE%\\Desktop") == ["home_changed"]


def test_second_target_is_found_too() -> None:
    command = 'copy "%USERPROFILE%\\Desktop\\a" %USERPROFILE%\\Documents\\b\nrem %USERPROFILE%\\Music'
    reading = read(command, Dialect.CMD)
    assert [probe.folder for probe in reading.probes] == [Folder.DESKTOP, Folder.DOCUMENTS]
    assert [seen.reason for seen in reading.seen] == [Reason.COMMENT]


@pytest.mark.parametrize(
    ("command", "variables"),
    [
        ("dir %userprofile%\\Desktop", ("USERPROFILE",)),
        ("dir %HOMEDRIVE%%HOMEPATH%\\Desktop", ("HOMEDRIVE", "HOMEPATH")),
        ("dir %SystemDrive%%HOMEPATH%\\Desktop", ("SYSTEMDRIVE", "HOMEPATH")),
    ],
)
def test_variables_of_a_probe(command: str, variables: tuple[str, ...]) -> None:
    assert read(command, Dialect.CMD).probes[0].variables == variables


@pytest.mark.parametrize(
    "line",
    ["- Pictures: `%USERPROFILE%\\Desktop\\Trip` (the best ones)",
     "| Downloads | `%USERPROFILE%\\Downloads\\tool\\` (default) |",
     "The archive is at `%USERPROFILE%\\Downloads\\a.json` and below:", "Default: %USERPROFILE%\\Documents\\Tool",
     "Put them into the %USERPROFILE%\\Desktop folder", "* %USERPROFILE%\\Desktop", "# %USERPROFILE%\\Desktop",
     "> %USERPROFILE%\\Desktop is used", 'rows <- read_delim("~/Desktop/rows.csv", delim = ",")',
     '.or_insert("$HOME/Downloads/%(name)s-%(size)s".to_owned());', 'path = "%USERPROFILE%\\Desktop"'],
)  # fmt: skip
def test_prose_and_other_languages_are_left_alone(line: str) -> None:
    assert why(line)


@pytest.mark.parametrize(
    "path",
    ["\\\\box\\share", "/home/ida/Desktop", "C:Desktop", "", "C:\\a\\", "C:\\a\nb", "C:\\a\u202eb", "C:\\\ud800",
     'C:\\"a', "C:\\%a%", "C:\\a!b", "C:\\a^b", "C:\\a&b", "C:\\a|b", "C:\\\\a", "C:\\a\0"],
)  # fmt: skip
@pytest.mark.parametrize("command", ["dir %USERPROFILE%\\Desktop", 'dir "%USERPROFILE%\\Desktop"'])
def test_paths_that_are_never_written(command: str, path: str) -> None:
    assert read(command, Dialect.CMD).probes[0].write(path) is None


def test_brackets_are_not_put_into_variables() -> None:
    assert run('dir "%USERPROFILE%\\Desktop"', "D:\\a (b)") == 'dir "D:\\a (b)"'
    assert read('set "X=%USERPROFILE%\\Desktop"', Dialect.CMD).probes[0].write("D:\\a (b)") is None


def test_long_commands_and_lines_are_not_read() -> None:
    assert why("x " * 100_001 + "%USERPROFILE%\\Desktop") == ["too_long"]
    assert why("x " * 5_000 + "%USERPROFILE%\\Desktop") == ["too_long"]
    assert set(why("dir %USERPROFILE%\\Desktop & " * 100)) == {"too_long"}
