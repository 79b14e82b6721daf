"""Fills the tiers of a prompt from a memory: the brief, what is recalled, sources, the agent's view, surroundings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cfpm.context.agent_view import AgentView, view
from cfpm.context.assembly import (
    MOST,
    SHARE,
    Kept,
    Parts,
    Prompt,
    Tier,
    as_data,
    assemble,
    counted,
    fitted,
    fixed_tokens,
    of_state,
    of_tools,
    shown_texts,
    split_system,
    task_reminder,
    told_left_out,
)
from cfpm.context.environment import ignore_block, runtime_block
from cfpm.context.history import Raw
from cfpm.context.sources import DATA, ContextSpec, Sources
from cfpm.context.views import for_agent
from cfpm.errors import UsageError
from cfpm.model import Status
from cfpm.model.clock import Clock
from cfpm.recall.tokens import Count

if TYPE_CHECKING:
    from cfpm.model import Scope
    from cfpm.recall import Recall
    from cfpm.recall.brief import Brief
    from cfpm.settings import Settings
    from cfpm.store.store import Store

SourceLike = str | Mapping[str, object] | ContextSpec

_HEAD = 120
"""Characters by which a logged message is told to be one that the prompt shows."""

_PARTS = 2
"""Messages of the log for one of the list: what was thought, said and called may stand apart."""


@dataclass(frozen=True, slots=True)
class AgentTable:
    """What the settings say of an agent: its view, its sources, and whether it recalls only what it learnt itself."""

    view: AgentView | None = None
    context: tuple[ContextSpec, ...] = ()
    own_memory: bool = False

    @classmethod
    def of(cls, name: str, tables: Mapping[str, Mapping[str, object]]) -> AgentTable:
        """That of an agent, by its name in any case. Raises UsageError naming what the table cannot hold."""
        table = next((rows for key, rows in tables.items() if key.casefold() == name.casefold()), None)
        if table is None:
            return cls()
        rows = dict(table)
        sources, own = rows.pop("context", ()), rows.pop("own_memory", False)
        if not isinstance(sources, list | tuple) or not isinstance(own, bool):
            raise UsageError(f"agents.{name}", "context is a list of sources, own_memory true or false", "Correct it")
        return cls(AgentView.of(rows) if rows else None, tuple(map(ContextSpec.of, sources)), own)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a host asks to be put together; see `Memory.assemble`."""

    query: str
    agent: str = ""
    policy: str = ""
    developer: str = ""
    role: str = ""
    task: str = ""
    state: str | Iterable[Kept] = ()
    skills: Sequence[str] = ()
    tools: Sequence[str | Raw] = ()
    sources: Sequence[SourceLike] = ()
    reminders: Sequence[str] = ()
    root: Path | None = None
    environment: bool = True
    namespaces: Sequence[str] = ()


@dataclass(slots=True)
class Assembler:
    """Assembles the prompts of a memory. `recall` and `brief` are the memory's own, so that what they show is noted;
    what they answered is kept while nothing was learnt since."""

    store: Store
    namespace: str
    settings: Settings
    clock: Clock | None
    recall: Callable[..., Recall]
    brief: Callable[..., Brief]
    count: Count
    _briefs: dict[tuple[object, ...], Brief] = field(default_factory=dict, init=False, repr=False)
    _recalls: dict[tuple[object, ...], tuple[frozenset[str], Recall]] = field(
        default_factory=dict, init=False, repr=False
    )

    def __post_init__(self) -> None:
        self.count = counted(self.count)

    def assemble(self, messages: Iterable[object], wanted: Wanted, scope: Scope, budget: int) -> Prompt:
        """Raises InputError for what is no message, UsageError for what does not fit."""
        table = AgentTable.of(wanted.agent, self.settings.agents)
        system, spoken = split_system(for_agent(messages))
        problems: list[str] = []
        if table.view is not None:
            seen = view(spoken, table.view)
            spoken = list(seen.messages)
            problems += [seen.warning] if seen.warning else []
        if not spoken and wanted.query.strip():
            spoken = [{"role": "user", "content": wanted.query}]
        state, moving = of_state(wanted.state)
        named, schemas = of_tools(wanted.tools)
        texts = {
            Tier.POLICY: wanted.policy,
            Tier.DEVELOPER: "\n\n".join(text for text in (wanted.developer, system) if text),
            Tier.ROLE: wanted.role,
            Tier.TASK: wanted.task,
            Tier.PLAN: state,
            Tier.SKILLS: "\n".join(["# Skills", *(f"- {skill}" for skill in wanted.skills)]) if wanted.skills else "",
            Tier.TOOLS: named,
        }
        late = [task_reminder(wanted.task, spoken), *wanted.reminders, moving]
        room = budget - fixed_tokens(texts, schemas, self.count)
        share = max(0, min(MOST, int(SHARE * room)))
        if wanted.environment:
            late += self._surroundings(wanted.root, share, problems)
        sections = self._sources(wanted, table, scope, spoken, share, problems)
        reserve = 2 * share + sum(map(self.count, sections))
        try:
            kept, left_out, cut = fitted(spoken, room - reserve, late, self.count)
        except UsageError:
            # What was said last goes before what is remembered.
            share, sections = 0, []
            problems.append("nothing of the memory has room")
            kept, left_out, cut = fitted(spoken, room, late, self.count)
        found, told = self._remembered(wanted, table, scope, kept, share)
        texts[Tier.MEMORY] = found.text if found else ""
        texts[Tier.RETRIEVED] = "\n".join(
            text for text in (told.block if told else "", as_data(DATA, sections)) if text
        )
        parts = Parts(texts, kept, [*late, *told_left_out(left_out)], schemas)
        prompt = assemble(parts, budget, self.count)
        return replace(
            prompt,
            left_out=left_out + prompt.left_out,
            problems=(*problems, *cut, *prompt.problems),
            memory=found,
            recalled=told,
        )

    def _surroundings(self, root: Path | None, share: int, problems: list[str]) -> list[str]:
        """The machine and the time, then what git ignores, as far as both have room."""
        now = self.clock() if self.clock is not None else datetime.now().astimezone()
        blocks = {"the environment": runtime_block(now, root), ".gitignore": ignore_block(root or Path.cwd())}
        left, shown = 2 * share, []
        for name, block in blocks.items():
            if (size := self.count(block)) > left:
                problems.append(f"{name} has no room")
            elif block:
                left -= size
                shown.append(block)
        return shown

    def _sources(
        self,
        wanted: Wanted,
        table: AgentTable,
        scope: Scope,
        spoken: Sequence[Raw],
        share: int,
        problems: list[str],
    ) -> list[str]:
        """The sections of the sources that fit into twice the share; what is empty or has no room is named."""
        specs = [*table.context, *map(ContextSpec.of, wanted.sources)]
        if not specs:
            return []
        own = replace(scope, agent=wanted.agent)
        reading = Sources(self.store, own, wanted.root or Path.cwd(), spoken)
        left, sections = 2 * share, []
        for spec in specs:
            section = reading.section(spec)
            size = self.count(section) if section else 0
            if not section:
                problems.append(f"source {spec.source} has nothing")
            elif size > left:
                problems.append(f"source {spec.source} has no room")
            else:
                left -= size
                sections.append(section)
        return sections

    def _remembered(
        self, wanted: Wanted, table: AgentTable, scope: Scope, kept: Sequence[Raw], share: int
    ) -> tuple[Brief | None, Recall | None]:
        """The brief, and what is recalled beside it: neither what the brief tells nor what the messages say."""
        if not share:
            return None, None
        own = wanted.agent if table.own_memory else None
        marker = self.store.activity.marker(self.namespace, scope.session)
        asked: dict[str, Any] = {"max_tokens": share, "agent": own}
        if wanted.namespaces:
            asked["namespaces"] = tuple(wanted.namespaces)
        place = (scope.session, str(wanted.root), *asked.values(), *marker[1:])
        found = self._briefs.get(place)
        if found is None or not self._holds(found, wanted.namespaces or [self.namespace]):
            found = self.brief(session=scope.session, root=wanted.root, **asked)
            self._briefs = {place: found}
        if not wanted.query.strip():
            return found, None
        held = frozenset(line.id for line in found.lines if line.id) | self._shown(scope, kept)
        key = (wanted.query, *place, marker[0])
        before = self._recalls.get(key)
        if before is None or not before[0] <= held:
            before = (held, self.recall(wanted.query, exclude=tuple(held), **asked))
            self._recalls = {key: before}
        return found, before[1]

    def _holds(self, told: Brief, namespaces: Sequence[str]) -> bool:
        """Whether all that a brief tells is still believed, in the same words: that something was only said once more
        since is no reason to give up a cached prompt."""
        contents = {line.id: line.content for line in told.lines if line.content}
        known = self.store.facts.by_id(namespaces, contents)
        return all(
            (fact := known.get(ident)) is not None and fact.status is Status.ACTIVE and fact.content == content
            for ident, content in contents.items()
        )

    def _shown(self, scope: Scope, kept: Sequence[Raw]) -> frozenset[str]:
        """The ids of the logged messages that the prompt shows."""
        heads = {text.strip()[:_HEAD] for message in kept for text in shown_texts(message)} - {""}
        given = {str(message["id"]) for message in kept if message.get("id")}
        logged = self.store.log.heads(self.namespace, scope.session, _PARTS * len(kept), _HEAD)
        return frozenset(given | {ident for ident, head in logged if head.strip() in heads})


def budget_of(settings: Settings, budget: int | None) -> int:
    """The tokens that a prompt may have: as given, else the part of the model's window below which nothing is
    compacted. Raises UsageError for fewer than one."""
    if budget is None:
        share = settings.auto_compact_threshold
        return int(settings.context_limit * (share if 0 < share < 1 else 1))
    if budget < 1:
        raise UsageError("budget", f"{budget} tokens", "Pass 1 or more")
    return budget
