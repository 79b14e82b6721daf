"""The command line: a thin, stable face of `Memory`, tables for people, `--json` for programs. Decides nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

from cfpm.errors import CFPMError, UsageError

DONE, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130

_OLD_NAMES = {"hook install": ["install"], "hook uninstall": ["install", "--remove"]}


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Runs one command and exits: 0 done, 1 the work failed, 2 wrong usage, 130 interrupted."""
    # Short texts multiply little: numpy's other threads gain nothing, and beside other work each waits for the rest.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    words = sys.argv[1:] if argv is None else list(argv)
    words = [*_OLD_NAMES.get(" ".join(words[:2]), words[:2]), *words[2:]]
    is_event = words[:1] == ["hook"] and words[1:] and "--help" not in words
    sys.exit(_hook(words[1:]) if is_event else _run(words))


def _hook(words: list[str]) -> int:
    """An event of a host that waits for the answer: without the parser of commands and all that they may need.

    Loaded by name, since adapters import this package and never the reverse. Always 0: to the host, anything else says
    that its turn is to stop.
    """
    try:
        import_module("cfpm_adapters.hosts.resident").main(words, _alone)
        _flushed(DONE)
    except Exception:  # noqa: BLE001 (a broken installation must not stop the host's work)
        return DONE
    return DONE


def _alone(*given: Any, **more: Any) -> int:
    code: int = import_module("cfpm_adapters.hosts.hook").main(*given, **more)
    return code


def _run(argv: list[str]) -> int:
    from cfpm.cli.output import prepare_streams, say

    prepare_streams()
    try:
        _obey(argv)
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
    except BrokenPipeError:
        return _unread()
    except OSError as error:
        say(f"cfpm: {error.filename or 'input or output'}: {error.strerror or error}")
        return FAILED
    return _flushed(DONE)


def _obey(argv: list[str]) -> None:
    from cfpm.cli.app import APP
    from cfpm.cli.parser import run

    run(APP, argv, "cfpm")


def _flushed(code: int) -> int:
    """The exit code, after making sure that a reader who went away (`| head`) causes no traceback at the very end."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return _unread()
    return code


def _unread() -> int:
    """Nobody reads standard output any more: what is left of it goes nowhere, without a word."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return FAILED
