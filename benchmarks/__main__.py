"""`python -m benchmarks NAME ...`: runs one benchmark; without a name it lists those that are here."""

from __future__ import annotations

import os
import runpy
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def names() -> list[str]:
    """The benchmarks of this package, sorted."""
    return sorted(found.parent.name for found in Path(__file__).parent.glob("*/__main__.py"))


def listing() -> str:
    """One line for each benchmark: its name and the first line of its docstring."""
    lines = ["usage: python -m benchmarks NAME [--data DIR] [--json OUT] ...", ""]
    for name in names():
        about = (import_module(f"benchmarks.{name}").__doc__ or "").strip().partition("\n")[0]
        lines.append(f"  {name:<12}{about}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 for the list, 2 for an unknown name; otherwise the benchmark exits by itself."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in ("-h", "--help"):
        print(listing())
        return 0
    name, *rest = given
    if name not in names():
        print(f"benchmarks: there is none of the name {name!r}. Use one of: {', '.join(names())}", file=sys.stderr)
        return 2
    # As the command line does, whose cost is what is measured.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.argv = [f"python -m benchmarks {name}", *rest]
    runpy.run_module(f"benchmarks.{name}", run_name="__main__", alter_sys=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
