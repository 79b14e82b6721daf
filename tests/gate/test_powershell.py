"""What PowerShell commands have for probes, each with the command as it would run, and what is left alone and why."""

from __future__ import annotations

import pytest

from cfpm.gate.decision import Reason
from cfpm.gate.probe import Dialect, How
from cfpm.gate.shells.powershell.reader import LONGEST, read
from cfpm.model.known_folders import Folder
from tests.gate.windows_folders import PLAIN, SPACED, reasons


def run(command: str, path: str = SPACED) -> str:
    """The command with the path in place of every probe."""
    for probe in reversed(read(command, Dialect.POWERSHELL).probes):
        text = probe.write(path)
        assert text is not None
        command = command[: probe.start] + text + command[probe.end :]
    return command


def why(command: str) -> list[str]:
    return reasons(read, command, Dialect.POWERSHELL)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('$p = "$env:USERPROFILE\\Desktop"', '$p = "D:\\One Drive\\Desktop"'),
        ('$p = "${env:USERPROFILE}\\Desktop\\a $name"', '$p = "D:\\One Drive\\Desktop\\a $name"'),
        ('Get-Content "$HOME/Desktop/a.txt"', 'Get-Content "D:\\One Drive\\Desktop/a.txt"'),
        ('foo --x "$Env:UserProfile\\desktop"', 'foo --x "D:\\One Drive\\Desktop"'),
        ('foo "$env:HOMEDRIVE$env:HOMEPATH\\Desktop\\a"', 'foo "D:\\One Drive\\Desktop\\a"'),
        ('dir "$HOME\\Desktop\\*.lnk"', 'dir "D:\\One Drive\\Desktop\\*.lnk"'),
        ("Get-ChildItem $env:USERPROFILE\\Desktop\\x", "Get-ChildItem 'D:\\One Drive\\Desktop\\x'"),
        ("cd $HOME\\Desktop; dir", "cd 'D:\\One Drive\\Desktop'; dir"),
        ("cd ${HOME}/Desktop/", "cd 'D:\\One Drive\\Desktop/'"),
        ("dir -Path:$HOME\\Desktop|sort", "dir -Path:'D:\\One Drive\\Desktop'|sort"),
        ("foo a > $HOME\\Desktop\\x.txt", "foo a > 'D:\\One Drive\\Desktop\\x.txt'"),
        ('& "$HOME\\Desktop\\x.exe" -a', '& "D:\\One Drive\\Desktop\\x.exe" -a'),
        ('$s.CreateShortcut("$HOME\\Desktop\\x.lnk")', '$s.CreateShortcut("D:\\One Drive\\Desktop\\x.lnk")'),
        ('$a = @("$HOME\\Desktop", "b") | sort', '$a = @("D:\\One Drive\\Desktop", "b") | sort'),
        ('$x = @{ Path = "$HOME\\Desktop" }', '$x = @{ Path = "D:\\One Drive\\Desktop" }'),
        ('$x = "$HOME\\Desktop" + "\\a"', '$x = "D:\\One Drive\\Desktop" + "\\a"'),
        ('param([string]$p = "$HOME\\Desktop")', 'param([string]$p = "D:\\One Drive\\Desktop")'),
        ('Set-Content -Path "$HOME\\Desktop\\é.txt" é', 'Set-Content -Path "D:\\One Drive\\Desktop\\é.txt" é'),
    ],
)
def test_home_by_variable(before: str, after: str) -> None:
    assert run(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("$d = [Environment]::GetFolderPath('Desktop')", f"$d = '{SPACED}'"),
        ('$d = [System.Environment]::GetFolderPath("MyDocuments")', f"$d = '{SPACED}'"),
        ("$d = [Environment]::GetFolderPath([Environment+SpecialFolder]::MyMusic)", f"$d = '{SPACED}'"),
        ("[environment]::getfolderpath('desktop') + '\\a'", f"'{SPACED}' + '\\a'"),
        ("Join-Path ([Environment]::GetFolderPath('Desktop')) a", f"Join-Path ('{SPACED}') a"),
        ("\"a $([Environment]::GetFolderPath('Desktop')) b\"", f"\"a $('{SPACED}') b\""),
    ],
)
def test_question_to_the_system(before: str, after: str) -> None:
    assert run(before) == after
    assert read(before, Dialect.POWERSHELL).probes[0].how is How.SYSTEM


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("cd ~\\Desktop", f"cd '{SPACED}'"),
        ("ls ~/Desktop/a -Recurse", f"ls '{SPACED}/a' -Recurse"),
        ("Copy-Item a.txt ~\\Desktop\\", f"Copy-Item a.txt '{SPACED}\\'"),
        ("gc '~\\Desktop\\x'", f"gc '{SPACED}\\x'"),
        ('Resolve-Path "~/Desktop"', f'Resolve-Path "{SPACED}"'),
        ("Test-Path -LiteralPath ~\\Desktop", f"Test-Path -LiteralPath '{SPACED}'"),
    ],
)
def test_tilde_for_commands_that_resolve_it(before: str, after: str) -> None:
    assert run(before) == after


@pytest.mark.parametrize(
    "command",
    ["foo ~/Desktop", '$p = "~/Desktop"', "echo '~/Desktop'", "dir -Depth ~/Desktop", "Set-Content a.txt ~\\Desktop",
     'gc "~\\Desktop\\$x"', "Join-Path ~/Desktop a", "cd HKLM:; dir '~/Desktop'"],
)  # fmt: skip
def test_tilde_is_a_text_elsewhere(command: str) -> None:
    assert why(command) == ["string_literal"]


def test_quoted_tilde_is_a_text_for_programs_of_other_systems() -> None:
    quoted, bare = (read(text, Dialect.POWERSHELL).probes[0] for text in ('ls "~/Desktop"', "ls ~/Desktop"))
    assert quoted.write("/home/ida/Schreibtisch") is None
    assert bare.write("/home/ida/Schreibtisch") == "'/home/ida/Schreibtisch'"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("# cd $HOME\\Desktop", "comment"),
        ("<# $HOME\\Desktop #> dir", "comment"),
        ("echo '$HOME\\Desktop'", "string_literal"),
        ('echo "%USERPROFILE%\\Desktop"', "string_literal"),
        ("foo --% $HOME\\Desktop", "string_literal"),
        ('@"\n$HOME\\Desktop\n"@', "here_document"),
        ("@'\n$HOME\\Desktop\n'@", "here_document"),
        ("@\"\n$([Environment]::GetFolderPath('Desktop'))\n\"@", "here_document"),
        ('cd "$HOME\\Desktop-backup"', "longer_name"),
        ("cd $HOME\\Desktop-backup", "longer_name"),
        ("cd ~/Desktop-backup", "longer_name"),
        ('cd "$HOME\\Desktop backup"', "longer_name"),
        ('foo "$HOME\\Desktop.lnk"', "longer_name"),
        ('"$HOME\\Desktop" -like $x', "pattern"),
        ('$x -match "$HOME\\Desktop"', "pattern"),
        ('"$HOME\\Desktop\\{0}" -f 1', "pattern"),
        ('switch ($x) { "$HOME\\Desktop" { 1 } }', "pattern"),
        ('@{ "$HOME\\Desktop" = 1 }', "pattern"),
        ('Select-String "$HOME\\Desktop" a.txt', "pattern"),
        ('dir | where Name -like "$HOME\\Desktop"', "pattern"),
        ('pwsh -Command "$HOME\\Desktop\\x.ps1"', "nested_language"),
        ('Invoke-Expression "$HOME\\Desktop\\x.ps1"', "nested_language"),
        ('"$HOME\\Desktop\\x.ps1" | iex', "nested_language"),
        ('Start-Process a -ArgumentList "$HOME\\Desktop"', "nested_language"),
        ('python -c "$HOME\\Desktop"', "nested_language"),
        ('wsl ls "$HOME\\Desktop"', "nested_language"),
        ("ssh box ls $HOME/Desktop", "remote_host"),
        ("scp a.txt box:~/Desktop/", "remote_host"),
        ('Invoke-Command -ComputerName box { dir "$HOME\\Desktop" }', "remote_host"),
        ("icm -cn box { dir $HOME\\Desktop }", "remote_host"),
        ("docker exec box ls $HOME/Desktop", "remote_host"),
        ('Write-Host "see $HOME\\Desktop"', "unsupported_place"),
        ('foo "--x=$HOME\\Desktop"', "unsupported_place"),
        ("foo file://$HOME/Desktop", "unsupported_place"),
        ('"$HOME\\Desktop".Length', "unsupported_place"),
        ('[regex]"$HOME\\Desktop"', "unsupported_place"),
        ('"a" + "$HOME\\Desktop"', "unsupported_place"),
        ('dir "$HOME\\Desktop\\..\\a"', "unsupported_place"),
        ("dir $env:HOMEPATH\\Desktop", "unsupported_place"),
        ("foo [Environment]::GetFolderPath('Desktop')", "unsupported_place"),
        ("[Environment]::GetFolderPath('Desktop').Length", "unsupported_place"),
        ('rm -r "$HOME\\Desktop"', "unsupported_place"),
        ('rm "$HOME\\Desktop\\*"', "unsupported_place"),
        ("foo a,b '$HOME\\Desktop'", "string_literal"),
        ("mv $HOME\\Desktop b", "unsupported_place"),
        ("dir $HOME\\Desktop\\*.txt", "cannot_parse"),
        ('if (Test-Path "$HOME\\Desktop") {', "cannot_parse"),
        ("foo a'b $HOME\\Desktop c'd", "cannot_parse"),
        ("foo a'b \"$HOME\\Desktop\" c'd", "cannot_parse"),
        ('foo a"b $HOME\\Desktop c"d', "cannot_parse"),
        ("foo a` $HOME\\Desktop", "cannot_parse"),
        ("dir “$HOME\\Desktop”", "cannot_parse"),
        ("foo –Pattern $HOME\\Desktop", "cannot_parse"),
    ],
)  # fmt: skip
def test_left_alone(command: str, reason: str) -> None:
    assert why(command) == [reason]


@pytest.mark.parametrize(
    "change",
    ["$HOME = 'x'", "$env:USERPROFILE='x'", "${env:HOMEPATH} = 'x'", "Set-Item env:USERPROFILE x",
     "Remove-Item Env:\\HOME",
     "Set-Variable -Name HOME x", "[Environment]::SetEnvironmentVariable('USERPROFILE', 'x')", "sv HOME x",
     "foreach ($HOME in 1) { }", "function f($HOME) { }", "foo -OutVariable HOME", "$a, $HOME = 1, 2", "$HOME += 'x'"],
)  # fmt: skip
def test_home_that_the_command_changes(change: str) -> None:
    assert why(f'{change}; cd "$HOME\\Desktop"')[-1] == "home_changed"


def test_second_target_is_found_too() -> None:
    command = 'Copy-Item "$HOME\\Desktop\\a" $HOME\\Documents\\b # $HOME\\Music'
    reading = read(command, Dialect.POWERSHELL)
    assert [probe.folder for probe in reading.probes] == [Folder.DESKTOP, Folder.DOCUMENTS]
    assert [seen.reason for seen in reading.seen] == [Reason.COMMENT]


@pytest.mark.parametrize(
    ("command", "variables"),
    [
        ('"$env:USERPROFILE\\Desktop"', ("USERPROFILE",)),
        ('"${home}\\Desktop"', ("HOME",)),
        ("cd ~\\Desktop", ("HOME",)),
        ('"${env:homedrive}${env:homepath}\\Desktop"', ("HOMEDRIVE", "HOMEPATH")),
        ("[Environment]::GetFolderPath('Desktop')", ()),
    ],
)
def test_variables_of_a_probe(command: str, variables: tuple[str, ...]) -> None:
    assert read(command, Dialect.POWERSHELL).probes[0].variables == variables


@pytest.mark.parametrize(
    "line",
    ["- Pictures: `~/Desktop/Trip/` (the best ones)", "| Downloads | `$HOME\\Downloads\\tool\\` (default) |",
     'rows <- read_delim("~/Desktop/rows.csv", delim = ",") %>%', 'rows <- read.csv("~/Desktop/rows.csv")',
     '.or_insert("$HOME/Downloads/%(name)s-%(size)s".to_owned());', "Default: $env:USERPROFILE\\Documents\\Tool",
     'let p = "$HOME/Desktop";', '"path": "$HOME/Desktop/a"', "path: $HOME/Desktop/a", 'const p = "$HOME/Desktop"',
     'FOO="$HOME/Downloads/a"', 'for d in "$HOME/Desktop" "$HOME/Music"; do', "export D=$HOME/Desktop",
     "set -q D; or set -x D $HOME/Downloads", "The files are at $HOME/Desktop/a and below", 'load("$HOME/Desktop/a")'],
)  # fmt: skip
def test_prose_and_other_languages_are_left_alone(line: str) -> None:
    assert why(line)


def test_quotes_are_not_nested_in_a_string() -> None:
    assert run('Resolve-Path "$HOME\\Desktop"') == f'Resolve-Path "{SPACED}"'


def test_dollar_and_backtick_in_the_path_stay_literal() -> None:
    assert run('cd "$HOME\\Desktop\\a"', "C:\\$user\\“a”") == 'cd "C:\\`$user\\`“a`”\\a"'
    assert run("cd $HOME\\Desktop\\a", "C:\\o'neil\\’s") == "cd 'C:\\o''neil\\’’s\\a'"


@pytest.mark.parametrize(
    "path",
    ["\\\\box\\share", "Desktop", "C:Desktop", "", "C:\\a\\", "/", "//a", "C:\\a\nb", "C:\\a\u202eb", "C:\\\ud800",
     "C:\\[a]", 'C:\\"',
     "C:\\a\0", "C:\\a*", "C:\\`a"],
)  # fmt: skip
@pytest.mark.parametrize(
    "command", ["cd $HOME\\Desktop", 'cd "$HOME\\Desktop"', "[Environment]::GetFolderPath('Desktop')"]
)
def test_paths_that_are_never_written(command: str, path: str) -> None:
    assert read(command, Dialect.POWERSHELL).probes[0].write(path) is None


def test_programs_get_no_path_that_a_batch_file_would_run() -> None:
    program, cmdlet = (read(f'{name} "$HOME\\Desktop"', Dialect.POWERSHELL).probes[0] for name in ("npm", "Get-Item"))
    assert program.write("D:\\a&calc") is None
    assert cmdlet.write("D:\\a&calc") == "D:\\a&calc"


def test_path_in_code_within_a_string_must_be_plain() -> None:
    probe = read("\"$([Environment]::GetFolderPath('Desktop'))\"", Dialect.POWERSHELL).probes[0]
    assert probe.write("C:\\a (b") is None
    assert probe.write(PLAIN) == f"'{PLAIN}'"


def test_nothing_to_find() -> None:
    reading = read("Get-ChildItem C:\\Users | Sort-Object Name", Dialect.POWERSHELL)
    assert not reading.probes
    assert not reading.seen


def test_long_commands_are_not_read() -> None:
    assert why("x " * LONGEST + "$HOME\\Desktop") == ["too_long"]
    assert set(why("dir $HOME\\Desktop;" * 100)) == {"too_long"}
