"""`python -m benchmarks lexicons [--check]`: compiles `cfpm/text/lexicons/*.txt` to `compiled.json` beside them."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import cfpm.text
from benchmarks.lexicons.compiling import compiled

if TYPE_CHECKING:
    from collections.abc import Sequence

FILE = Path(cfpm.text.__file__).parent / "lexicons" / "compiled.json"


def written() -> str:
    """The file as it should be: a line a section, so that a change of one phrase changes one line."""
    languages = []
    for language, sections in compiled().items():
        lines = ",\n".join(
            f"  {json.dumps(name)}: {json.dumps(section, ensure_ascii=False)}" for name, section in sections.items()
        )
        languages.append(f"{json.dumps(language)}: {{\n{lines}\n}}")
    return "{" + ",\n".join(languages) + "}\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 1 when `--check` finds the file out of date; it is written without that option."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks lexicons", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, say whether the file is up to date")
    if parser.parse_args(arguments).check:
        current = FILE.read_text(encoding="utf-8") == written()
        print("up to date" if current else f"{FILE.name} is out of date. Run: python -m benchmarks lexicons")
        return 0 if current else 1
    FILE.write_text(written(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
