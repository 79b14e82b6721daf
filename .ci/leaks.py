"""Fails when a file of the repository holds an address of a package index or the path of this checkout."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

# With a class in each word, so that this file does not find itself.
INDEX = re.compile(r"pypi[.]org|python[h]osted|index[-]url|find[-]links")
ALLOWED = {"Makefile"}
"""Names the two uv options that keep addresses out of the constraints."""


def tracked() -> list[Path]:
    """All files that git knows or would add; without git, all that are not hidden."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, check=False) if shutil.which("git") else None
    if listed is None or listed.returncode != 0:
        return [path for path in Path().rglob("*") if path.is_file() and not any(p[0] == "." for p in path.parts)]
    names = listed.stdout.decode().split("\0")
    return [Path(name) for name in names if name and Path(name).is_file()]


def problems(path: Path, checkout: str) -> list[str]:
    """What is wrong with one file, a line each. Binary files have no lines worth reading."""
    text = path.read_bytes().decode("utf-8", "replace")
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if str(path) not in ALLOWED and (match := INDEX.search(line)):
            found.append(f"{path}:{number}: address of a package index: {match[0]}")
        if checkout in line:
            found.append(f"{path}:{number}: path of this machine: {checkout}")
    return found


def main() -> int:
    checkout = f"{Path.cwd()}/"
    found = [problem for path in tracked() for problem in problems(path, checkout)]
    print("\n".join(found) or "none found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
