"""Fails when the wheel lacks a file of the import packages, or holds a stray one. Usage: wheel_contents.py WHEEL"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

PACKAGES = {"cfpm": Path("cfpm"), "cfpm_adapters": Path("adapters/cfpm_adapters")}


def expected() -> set[str]:
    """Every source and data file of the two packages, as the wheel names it."""
    return {
        f"{name}/{path.relative_to(folder).as_posix()}"
        for name, folder in PACKAGES.items()
        for path in folder.rglob("*")
        if path.is_file() and not any(part == "__pycache__" or part.startswith(".") for part in path.parts)
    }


def main(wheel: str) -> int:
    inside = set(zipfile.ZipFile(wheel).namelist())
    missing = sorted(expected() - inside)
    stray = sorted(name for name in inside if name.split("/")[0] not in PACKAGES and ".dist-info/" not in name)
    for name in missing:
        print(f"missing from the wheel: {name}")
    for name in stray:
        print(f"stray in the wheel: {name}")
    print(f"{len(inside)} files in {Path(wheel).name}")
    return 1 if missing or stray else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
