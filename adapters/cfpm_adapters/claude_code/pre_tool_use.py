"""The gate's decision about one call, as the answer of a PreToolUse hook. Imported only when a probe was seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from cfpm.cli.location import database_url, sqlite_file
from cfpm.gate.decision import Decision, Pass, Rewrite
from cfpm.gate.event import gate_message
from cfpm.gate.gatekeeper import Gatekeeper
from cfpm.gate.host import this_host
from cfpm.model.clock import utc_now
from cfpm.model.markers import is_off
from cfpm.store.store import Store
from cfpm_adapters.claude_code.event import AGENT, Answer, Event, Options, note, text_of, visibility
from cfpm_adapters.claude_code.session_file import last_said


class Opening(NamedTuple):
    """How the store is opened, without the settings, which take longer to load than the host waits."""

    durability: str = "normal"
    embedder: str = "none"
    busy_timeout: float = 0.05


PATIENT = Opening(busy_timeout=10.0)
"""For keeping the decision, once the host was told."""


def decide(event: Event, command: str, dialect: str, options: Options) -> Answer:
    """What to tell the host: the whole input with the new command, or advice for the model, or nothing.

    The decision itself is still to be kept: finding secrets in a command takes longer than deciding on it. Raises
    whatever keeps the gate from deciding.
    """
    permission, configured = _permission(event, options), _configured()
    url = database_url(options.db)
    file = sqlite_file(url)
    off = permission is None or is_off(configured.get("pre_tool_gate", True))
    if off or file is None or not file.exists():
        return Answer()
    host = this_host(text_of(event.get("cwd")) or None)
    with Store.open(url, Opening(), read_only=True) as store:
        keeper = Gatekeeper(store, options.namespace, host)
        decision = keeper.decide(dialect, command, said=_said(event, options, store))
    at = utc_now()

    def keep() -> None:
        with Store.open(url, PATIENT) as store:
            session, call_id = text_of(event.get("session_id")), text_of(event.get("tool_use_id"))
            keeper = Gatekeeper(store, options.namespace, host)
            keeper.record(decision, agent=AGENT, tool=event["tool_name"], at=at, session=session, call_id=call_id)

    told = _told(decision, event, permission, debug=visibility(configured) == "debug")
    # Strict JSON in ASCII: no NaN, no lone surrogate, whatever the encoding of the stream.
    text = json.dumps({"hookSpecificOutput": told}, allow_nan=False) + "\n" if told else ""
    return Answer(text, keep)


def _told(decision: Decision, event: Event, permission: str | None, *, debug: bool) -> dict[str, object] | None:
    tool: str = event["tool_name"]
    told: dict[str, object] = {"hookEventName": "PreToolUse"}
    match decision:
        case Rewrite():
            # The host keeps the model's own words, so the model is told what runs in their place.
            lines = (gate_message(decision, tool, "debug" if debug else "brief"), decision.advice)
            return {
                **told,
                "permissionDecision": permission,
                "permissionDecisionReason": _reason(decision),
                "updatedInput": {**event["tool_input"], "command": decision.command},
                "additionalContext": "\n".join(filter(None, lines)),
            }
        case Pass():
            if debug:
                note(gate_message(decision, tool, "debug") or "")
            return {**told, "additionalContext": decision.advice} if decision.advice else None


def _said(event: Event, options: Options, store: Store) -> str:
    transcript = text_of(event.get("transcript_path"))
    if transcript:
        return last_said(Path(transcript).expanduser())
    return store.log.last_said(options.namespace, text_of(event.get("session_id")))


def _permission(event: Event, options: Options) -> str | None:
    """Who approves a changed command; None where nobody can, since there `ask` would refuse the call."""
    match event.get("permission_mode"):
        case "bypassPermissions":
            return "allow"
        case "dontAsk" if options.permission == "ask":
            return None
    return options.permission


def _configured() -> dict[str, object]:
    """The settings file of the working directory; a broken one keeps the gate from deciding."""
    path = Path("cfpm.toml")
    if not path.is_file():
        return {}
    import tomllib

    return tomllib.loads(path.read_text(encoding="utf-8"))


def _reason(decision: Rewrite) -> str:
    places = [f"{change.before} is {change.path}" for change in decision.changes]
    return f"CFPM put known folders in place of probes: {'; '.join(dict.fromkeys(places))}"
