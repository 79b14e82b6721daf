"""`python -m cfpm` is the command `cfpm`."""

from __future__ import annotations

from cfpm.cli import main

if __name__ == "__main__":
    main()
