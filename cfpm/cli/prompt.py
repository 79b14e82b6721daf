"""`context show`: the prompt that an agent would get now, tier by tier."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cfpm.cli.options import Common
from cfpm.cli.output import say, show, show_counts, show_json
from cfpm.cli.parser import Option
from cfpm.errors import InputError, NotFoundError
from cfpm.model.clock import utc_now

if TYPE_CHECKING:
    from cfpm.context.assembly import Prompt
    from cfpm.context.history import Raw
    from cfpm.memory import Memory

_NAMED = 5
"""Sessions that an error names."""


def show_prompt(
    *,
    query: Annotated[str, Option("--query", metavar="Q", help="What the user asks next.")] = "",
    session: Annotated[
        str | None, Option("--session", metavar="S", help="Whose history; without it, a new one.")
    ] = None,
    agent: Annotated[str, Option("--agent", metavar="NAME", help="As which agent of `cfpm.toml`.")] = "",
    policy: Annotated[str, Option("--policy", metavar="TEXT", help="What stands first.")] = "",
    source: Annotated[
        str, Option("--source", metavar="NAMES", help="Sources between commas, e.g. session_context,changes_recent:3.")
    ] = "",
    budget: Annotated[int | None, Option("--budget", min=1, metavar="N", help="Tokens of all of it.")] = None,
    root: Annotated[
        Path | None, Option("--root", metavar="DIR", help="The project's folder. Default: this one.")
    ] = None,
    common: Common,
) -> None:
    """Show the whole prompt that an agent would get now: twelve tiers, with what each costs.

    The history is that of the session's log. What has no room is named.
    """
    if root is not None and not root.is_dir():
        raise InputError(str(root), "there is no such folder", "Name the project's folder with --root, or leave it out")
    with common.to_change(clock=utc_now) as memory:
        messages = _history(memory, session, query)
        prompt = memory.assemble(
            messages,
            query,
            session=session or "default",
            agent=agent,
            policy=policy,
            sources=[name.strip() for name in source.split(",") if name.strip()],
            budget=budget,
            root=root or Path.cwd(),
            namespaces=common.with_rules_of_user(),
        )
    if common.as_json:
        show_json(prompt.to_json())
    else:
        _show(prompt)


def _history(memory: Memory, session: str | None, query: str) -> list[Raw]:
    """The messages of a session as they would be sent, with the question at their end."""
    from cfpm.context.sessions import as_dicts

    found: list[Raw] = []
    if session is not None:
        logged = memory.store.log.messages(memory.scope.namespace, session=session)
        if not logged:
            known = memory.store.log.sessions(memory.scope.namespace)
            named = f"; there are {', '.join(known[:_NAMED])}" + (", ..." if len(known) > _NAMED else "")
            there = named if known else "; it has none"
            raise NotFoundError(f"No session {session} in namespace {memory.scope.namespace}{there}")
        found = as_dicts(row.message for row in logged)
    if query.strip() and not (found and found[-1].get("content") == query):
        found.append({"role": "user", "content": query})
    return found


def _show(prompt: Prompt) -> None:
    if prompt.system:
        show(f"system:\n{prompt.system}\n")
    for message in prompt.messages:
        content = message.get("content")
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, default=str)
        calls = message.get("tool_calls")
        called = f"\n{json.dumps(calls, ensure_ascii=False, default=str)}" if calls else ""
        show(f"{message.get('role')}:\n{text or ''}{called}\n")
    show_counts(("tier", "tokens"), [(name, str(size)) for name, size in prompt.tokens_by_tier.items()])
    say(f"cfpm: {prompt.tokens} of {prompt.budget} tokens; stable beginning {prompt.prefix_digest[:12]}")
    for problem in (*([f"{prompt.left_out} messages have no room"] if prompt.left_out else []), *prompt.problems):
        say(f"cfpm: {problem}")
