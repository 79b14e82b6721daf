"""The gate over a store: looks up what a command needs, decides, keeps the decision, lets go of folders that are gone.

Loads no settings, so that a hook process stays quick; `Memory.gate` is the same with the memory's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath, PureWindowsPath

from cfpm.gate.decision import Decision, Pass, Reason
from cfpm.gate.gate import dialect_named, judge, read
from cfpm.gate.host import Host
from cfpm.gate.probe import Dialect, Effect, Probe
from cfpm.gate.trust import as_place, known_paths
from cfpm.model import Action, Category, Fact, Source, Status
from cfpm.model.known_folders import NAMES, TOPIC, Folder
from cfpm.paths.grammar import canonical, name
from cfpm.store.broken_paths import LOOKED_AT
from cfpm.store.store import Store

_TOLD = 50
"""Facts of a user that name a folder; more than that are no places but talk."""

_SHORT = 15
"""Characters of a name up to which it holds no secret."""

_NAMED = 20
"""Artifacts of the same name among which a right one is looked for."""


@dataclass(frozen=True, slots=True)
class Gatekeeper:
    """The gate of one namespace on one machine."""

    store: Store
    namespace: str
    host: Host
    enabled: bool = True

    def decide(self, dialect: str, command: str, *, said: str = "") -> Decision:
        """The decision for a command; `said` is the user's last message. Raises StoreError."""
        shell = dialect_named(dialect)
        if not self.enabled:
            return Pass(command, dialect, Reason.SWITCHED_OFF)
        if shell is None:
            return Pass(command, dialect, Reason.UNKNOWN_DIALECT)
        reading = read(command, shell)
        probes = () if reading.effect is Effect.ACTS else reading.probes
        facts = [*self._about_folders(probes), *self._about_paths(command)]
        return judge(command, Dialect(shell), reading, facts, self.host, said)

    def record(
        self,
        decision: Decision,
        *,
        session: str = "",
        agent: str = "",
        tool: str = "",
        call_id: str = "",
        at: datetime | None = None,
    ) -> None:
        """Keeps the decision, without secrets, and lets go of facts whose folder is gone from a home that is there."""
        from cfpm.secrets import redact

        named = {"id": call_id, "session": session, "agent": agent, "tool": tool, "dialect": decision.dialect}
        event = {
            **{name: redact(text).text if len(text) > _SHORT else text for name, text in named.items()},
            "action": decision.action,
            "reason": decision.reason.value,
            "command": redact(decision.original).text,
            "rewritten": redact(decision.command).text if decision.changes else "",
            "changes": [{**change.summary(), "fact": change.fact_id} for change in decision.changes],
        }
        namespace = redact(self.namespace).text if len(self.namespace) > _SHORT else self.namespace
        gone = [kept.fact_id for kept in decision.kept if kept.reason is Reason.FOLDER_MISSING]
        with self.store.writing():
            self.store.activity.add_gate_event(namespace, event, at)
            if gone:
                self._let_go(gone, at)

    def _about_folders(self, probes: Sequence[Probe]) -> list[Fact]:
        folders = sorted({probe.folder for probe in probes})
        if not folders:
            return []
        words = " ".join(named for named, folder in NAMES.items() if folder in folders)
        found = {
            fact.id: fact
            for fact in (
                *self.store.facts.on_topic(self.namespace, [TOPIC + folder for folder in folders]),
                *self.store.search.said_by_user(self.namespace, words, _TOLD),
                *self.store.search.artifacts_named(self.namespace, words, _NAMED),
            )
        }
        facts = list(found.values())
        above = dict.fromkeys(key for folder in folders for key in _keys_above(folder, facts))
        broken = self.store.facts.by_keys(self.namespace, [(Category.INVALID_PATH, key) for key in above])
        return facts + broken

    def _about_paths(self, command: str) -> list[Fact]:
        """The broken paths that a command names, and what may have taken their place."""
        if "/" not in command and "\\" not in command:
            return []
        folded = command.casefold()
        reported = self.store.facts.find(
            self.namespace, category=Category.INVALID_PATH, status=Status.ACTIVE, limit=LOOKED_AT
        )
        broken = [fact for fact in reported if fact.content.casefold() in folded]
        words = dict.fromkeys(name(fact.content) for fact in broken)
        return broken + [
            fact for word in words for fact in self.store.search.artifacts_named(self.namespace, word, _NAMED)
        ]

    def _let_go(self, fact_ids: Sequence[str], at: datetime | None) -> None:
        from cfpm.pruner.candidates import fact_keys
        from cfpm.pruner.retention import to_stale

        found = self.store.facts.by_id(self.namespace, fact_ids).values()
        changes = [
            to_stale(fact, Action.STALE, "gate: the folder is not there", at)
            for fact in found
            if fact.status is Status.ACTIVE
            and not fact.pinned
            and fact.source is not Source.USER
            and self._is_gone(fact)
        ]
        self.store.fact_writer.apply(self.namespace, changes, block_keys=fact_keys)

    def _is_gone(self, fact: Fact) -> bool:
        """Only a folder that is missing from a place that is there has moved; else this may be another machine."""
        for folder in Folder:
            for known in known_paths(folder, [fact]):
                place = as_place(known.path, windows=known.windows)
                return known.windows == self.host.windows and self.host.is_folder(str(place.parent))
        return False


def _keys_above(folder: Folder, facts: Sequence[Fact]) -> Iterator[str]:
    """The canonical keys of the known paths of a folder and of all folders above them."""
    for known in known_paths(folder, facts):
        place: PurePosixPath | PureWindowsPath = as_place(known.path, windows=known.windows)
        yield from (canonical(str(part)) for part in (place, *place.parents))
