"""The gate's decision about one call, as the answer of the hook before it. Imported only when a probe was seen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cfpm.cli.location import database_url, sqlite_file
from cfpm.gate.decision import Decision, Pass, Rewrite
from cfpm.gate.event import gate_message
from cfpm.gate.gatekeeper import Gatekeeper
from cfpm.gate.host import this_host
from cfpm.model.clock import utc_now
from cfpm.model.markers import is_off
from cfpm.store.store import Store
from cfpm_adapters.hosts.event import COMMANDS, Answer, Event, Options, note, visibility
from cfpm_adapters.hosts.session_file import last_said

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Opening(NamedTuple):
    """How the store is opened, without the settings, which take longer to load than the host waits."""

    durability: str = "normal"
    embedder: str = "none"
    busy_timeout: float = 0.05


OF_SESSION_FILE = "claude-code"
"""The host whose session file is read for the user's last words; of all others the log knows them."""

PATIENT = Opening(busy_timeout=10.0)
"""For keeping the decision, once the host was told."""


def decide(event: Event, command: str, dialect: str, options: Options) -> Answer:
    """What to tell the host: the whole input with the new command, or advice for the model, or nothing.

    The decision itself is still to be kept: finding secrets in a command takes longer than deciding on it. Raises
    whatever keeps the gate from deciding.
    """
    url = database_url(options.db)
    file = sqlite_file(url)
    if file is None or not file.exists():
        return Answer()
    with Store.open(url, Opening(), read_only=True) as store:
        text, keep = decided(store, event, command, dialect, options, _configured())
    if keep is None:
        return Answer()

    def keep_it() -> None:
        with Store.open(url, PATIENT) as store:
            keep(store)

    return Answer(text, keep_it)


def decided(
    store: Store, event: Event, command: str, dialect: str, options: Options, configured: Mapping[str, object]
) -> tuple[str, Callable[[Store], None] | None]:
    """The same by an open store and these settings, and what keeps the decision in one; None where there is none."""
    permission = _permission(event, options)
    if permission is None or is_off(configured.get("pre_tool_gate", True)):
        return "", None
    host = this_host(event.text("folder") or None)
    decision = Gatekeeper(store, options.namespace, host).decide(dialect, command, said=_said(event, options, store))
    at = utc_now()

    def keep(store: Store) -> None:
        Gatekeeper(store, options.namespace, host).record(
            decision,
            agent=event.agent,
            tool=event.text("tool"),
            at=at,
            session=event.session,
            call_id=event.text("call"),
        )

    told = _told(decision, event, permission, debug=visibility(configured) == "debug")
    return event.host.reply_to(event, told), keep


def _told(decision: Decision, event: Event, permission: str | None, *, debug: bool) -> dict[str, object]:
    tool = event.text("tool")
    match decision:
        case Rewrite():
            # The host keeps the model's own words, so the model is told what runs in their place.
            lines = (gate_message(decision, tool, "debug" if debug else "brief"), decision.advice)
            arguments = dict(event.arguments or {})
            arguments |= {name: decision.command for name in COMMANDS if isinstance(arguments.get(name), str)}
            return {
                "permission": event.host.permission(permission or ""),
                "reason": _reason(decision),
                "arguments": arguments,
                "advice": "\n".join(filter(None, lines)),
            }
        case Pass():
            if debug:
                note(gate_message(decision, tool, "debug") or "")
            return {"advice": decision.advice}


def _said(event: Event, options: Options, store: Store) -> str:
    transcript = event.text("transcript")
    if transcript and event.host.agent == OF_SESSION_FILE:
        return last_said(Path(transcript).expanduser())
    return store.log.last_said(options.namespace, event.session)


def _permission(event: Event, options: Options) -> str | None:
    """Who approves a changed command; None where nobody can, since there `ask` would refuse the call."""
    match event.text("mode"):
        case "bypassPermissions":
            return "allow"
        case "dontAsk" if event.host.permission(options.permission) == "ask":
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
