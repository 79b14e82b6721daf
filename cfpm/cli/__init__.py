"""The command line: a thin, stable face of `Memory`, tables for people, `--json` for programs. Decides nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from cfpm.errors import CFPMError, UsageError

DONE, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Runs one command and exits: 0 done, 1 the work failed, 2 wrong usage, 130 interrupted."""
    sys.exit(_run(sys.argv[1:] if argv is None else list(argv)))


def _run(argv: list[str]) -> int:
    from cfpm.cli.output import prepare_streams, say

    prepare_streams()
    try:
        from cfpm.cli.app import command

        command().main(args=argv, prog_name="cfpm")
    except SystemExit as exit_:
        return _flushed(exit_.code if isinstance(exit_.code, int) else DONE)
    except KeyboardInterrupt:
        return INTERRUPTED
    except UsageError as error:
        say(f"cfpm: {error}")
        return WRONG_USAGE
    except CFPMError as error:
        say(f"cfpm: {error}")
        return FAILED
    except OSError as error:
        say(f"cfpm: {error.filename or 'input or output'}: {error.strerror or error}")
        return FAILED
    return DONE


def _flushed(code: int) -> int:
    """The exit code, after making sure that a reader who went away (`| head`) causes no traceback at the very end."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    return code
