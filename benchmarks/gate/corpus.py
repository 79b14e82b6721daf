"""The commands to put before the gate: those of the data package, or a few of our own when there is none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DIALECTS = {"bash": "bash", "sh": "sh", "zsh": "zsh", "powershell": "powershell", "windows": "cmd", "cmd": "cmd"}
"""Labels of the package to dialects of the gate; any other line is put before bash, as a careless host does."""


@dataclass(frozen=True, slots=True)
class Line:
    """One command; `label` is what the package says of it."""

    source: str
    number: int
    dialect: str
    label: str
    command: str


BUNDLED = (
    ("bash", "ls -la ~/Desktop"),
    ("bash", 'cat "$HOME/Downloads/my notes.txt" && cd ~/Documents'),
    ("bash", 'cp "$HOME/Downloads/my notes.txt" ~/Documents/ && cd ~/Documents'),
    ("bash", "for d in ~/Music ~/Pictures; do du -sh $d; done > ~/Desktop/sizes.txt"),
    ("bash", "scp report.pdf backup:~/Desktop/"),
    ("bash", "echo 'the ~/Desktop folder' # ~/Desktop"),
    ("bash", "mkdir ~/Desktop-backup"),
    ("bash", 'tar czf "${HOME}/Videos/all.tgz" "$HOME"/Pictures/*.png'),
    ("bash", 'ls "$(xdg-user-dir DOWNLOAD)/a b"'),
    ("bash", "find ~/Documents -name '*.txt' | sort | head -5"),
    ("bash", '[ -d "$HOME/Desktop" ] && cat "$HOME"/Desktop/*.txt 2>/dev/null'),
    ("bash", "mv ~/Desktop/* old/"),
    ("powershell", "Get-Content ~\\Documents\\a.txt | Select-Object -First 3"),
    ("powershell", 'Test-Path "$HOME\\Downloads\\b.txt"'),
    ("cmd", 'type "%USERPROFILE%\\Desktop\\a.txt" | find "x"'),
    ("cmd", 'dir "%USERPROFILE%\\Documents" /s'),
    ("powershell", 'Get-ChildItem "$env:USERPROFILE\\Desktop" -Filter *.lnk'),
    ("powershell", "$p = [Environment]::GetFolderPath('MyDocuments') + '\\x.txt'"),
    ("powershell", "Write-Host '$env:USERPROFILE\\Desktop'"),
    ("powershell", 'Copy-Item a.txt "$HOME\\Downloads\\b.txt"'),
    ("cmd", 'copy a.txt "%USERPROFILE%\\Desktop\\a.txt"'),
    ("cmd", "rem %USERPROFILE%\\Desktop"),
    ("cmd", 'set "OUT=%USERPROFILE%\\Downloads\\out"'),
)


def commands(data: Path | None) -> Iterator[Line]:
    """All commands. Raises FileNotFoundError when the folder has none."""
    if data is None:
        for number, (dialect, command) in enumerate(BUNDLED, 1):
            yield Line("bundled", number, dialect, dialect, command)
        return
    folder = data / "commands"
    yield from _lines(folder / "commands.jsonl", "commands")


def known_folder_lines(data: Path | None) -> Iterator[Line]:
    """The lines of the package that name known folders, with the shell that they were written for."""
    if data is not None and (found := data / "commands" / "known_folder_wild.jsonl").exists():
        yield from _lines(found, "known folders")


def _lines(path: Path, source: str) -> Iterator[Line]:
    with path.open(encoding="utf-8") as rows:
        for number, row in enumerate(rows, 1):
            found = json.loads(row)
            label = found.get("shell", "")
            context = found.get("context", "")
            yield Line(
                source,
                found.get("n", number),
                DIALECTS.get(label, "bash"),
                f"{label} {context}".strip(),
                found["cmd"],
            )
