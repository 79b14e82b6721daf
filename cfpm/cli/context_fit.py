"""`context fit`: the messages of a file within so many tokens and bytes, ready to be sent."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cfpm.cli.output import counted, say, show, show_json
from cfpm.cli.parser import Argument, Option
from cfpm.errors import InputError, UsageError


def fit(
    path: Annotated[Path, Argument(metavar="PATH", help="A transcript of a session, of any known format.")],
    *,
    max_tokens: Annotated[int | None, Option("--max-tokens", min=1, metavar="N", help="What the model takes.")] = None,
    max_bytes: Annotated[int | None, Option("--max-bytes", min=1, metavar="N", help="What its server takes.")] = None,
    format_: Annotated[str, Option("--format", metavar="NAME", help="What wrote the file.")] = "auto",
    session: Annotated[str | None, Option("--session", metavar="ID", help="Which session of the file.")] = None,
    as_json: Annotated[bool, Option("--json", help="Print sizes and messages as one JSON document.")] = False,
) -> None:
    """Make a session fit into one request: shorter results, then fewer old exchanges. Remembers nothing.

    Prints how much it takes before and after; with --json the messages too. The file is not changed.
    """
    from cfpm.context.sessions import read_session
    from cfpm.context.trims import fit, weigh
    from cfpm.recall import counter
    from cfpm.settings import Settings

    if max_tokens is None and max_bytes is None:
        raise UsageError("context fit", "no limit", "Give --max-tokens, --max-bytes or both")
    _, messages = read_session(path, format=format_, session=session)
    count = counter(Settings.load().tokenizer)
    trim = fit(messages, max_tokens, max_bytes, count=count)
    before, after = (weigh(given, count=count) for given in (messages, trim.messages))
    if as_json:
        sizes = {
            "before_tokens": before.tokens,
            "before_bytes": before.bytes,
            "after_tokens": after.tokens,
            "after_bytes": after.bytes,
        }
        changes = {"shortened": trim.rewritten, "removed": trim.removed, "problem": trim.problem}
        show_json({**sizes, **changes, "messages": list(trim.messages)})
    else:
        show(f"before: {before.tokens:,} tokens, {before.bytes:,} bytes, {counted(len(messages), 'message')}")
        show(f"after:  {after.tokens:,} tokens, {after.bytes:,} bytes, {counted(len(trim.messages), 'message')}")
        if trim.rewritten:
            say(f"cfpm: {counted(trim.rewritten, 'text')} shortened")
    if trim.problem:
        raise InputError(str(path), f"does not fit: {trim.problem}", "Give more room, or compact it: cfpm compact")
