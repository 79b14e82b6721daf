"""Runs the rules over a turn, in order. Whatever fires becomes a draft; nothing is judged or dropped here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, pairwise

from cfpm.extractor import (
    artifacts,
    goals,
    instructions,
    invalid_paths,
    known_folders,
    learnt,
    preferences,
    replies,
    sentence_rules,
    statements,
    tool_output,
)
from cfpm.extractor.authorities import Authorities
from cfpm.extractor.evidence import Evidence, Outcome
from cfpm.extractor.outside import ORIGINS
from cfpm.extractor.utterance import Hit, Utterance, utterance
from cfpm.model import CONTRAST, UNRATED, Category, Draft, Mark, Message, Origin, Role, Span, ToolCall, Turn
from cfpm.model.known_folders import TOPIC
from cfpm.model.patterns import lazy_pattern
from cfpm.paths.failures import may_have_failure
from cfpm.text import Kind, content_words, is_low_information, is_question
from cfpm.text.changes import only_contrasts, revokes
from cfpm.text.dates import SHORTLY_BEFORE, event_time
from cfpm.text.pasted.documents import of_a_paste
from cfpm.text.pasted.speakers import passes_on
from cfpm.text.salience import Weights, bare, weights
from cfpm.text.segments import segments

_QUOTED = (Kind.QUOTE, Kind.TABLE, Kind.HEADING)

Rule = Callable[[Utterance], Hit | None]

_USER_RULES: tuple[Rule, ...] = (
    instructions.find,
    preferences.find,
    sentence_rules.decision,
    goals.find,
    sentence_rules.profile,
    sentence_rules.event,
    sentence_rules.open_item,
    goals.opening,
    goals.advice,
    sentence_rules.note,
)
"""One sentence is one fact, of the first kind that fires: the more binding kinds come first."""

_CHAT_RULES: tuple[Rule, ...] = (
    preferences.find,
    sentence_rules.decision,
    sentence_rules.profile,
    goals.wish,
    sentence_rules.event,
    sentence_rules.open_item,
    sentence_rules.note,
)
"""Between two people: 'keep it up' and 'always smile' are said to the other, so nobody's goal or standing rule."""

_MAX_TYPED = 600
_MAX_TYPED_BREAKS = 2
"""Characters and line ends of a message that says where a folder is: one says so in passing. In anything longer may
stand what somebody else wrote, without a sign of it."""
_NEXT_ROW = 200
"""Characters after the announced line that show whether it is the first row of a table."""
_HEARD = 4_000
"""Characters of a user's message by which it is told what an assistant only says again."""
_ORDERING = frozenset({Category.INSTRUCTION, Category.PREFERENCE, Category.PROFILE, Category.GOAL})
_ASKED = ("goal.want", "goal.request", "goal.advice")
"""What is asked of the agent itself, whoever is named in it."""
_LONGEST_BEFORE = 160
"""Characters of a sentence that is told with the one behind it."""
_NEXT_LINE = lazy_pattern(r"\s*[^\n]{0,300}?(?=\s*(?:\n|$))")


@dataclass(frozen=True, slots=True)
class Earlier:
    """What stood before the messages to extract from: the messages of the same turn, and calls still without an answer.

    `opening` is true while the session has no earlier user message. `asked` is what the agent said last before the
    turn, if the user has not spoken since.
    """

    messages: tuple[Message, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    opening: bool = True
    asked: str = ""


def extract(turn: Turn, earlier: Earlier | None = None, authorities: Authorities | None = None) -> list[Draft]:
    """All drafts of a turn, in the order of its messages. Thinking is never mined: it is neither said nor done.

    Only `authorities` can say where a known folder is; by default the tools of the hosts that are known.
    """
    earlier = earlier or Earlier()
    evidence = Evidence({call.id: call for call in earlier.calls}, authorities or Authorities())
    for message in earlier.messages:
        _take(message, evidence)
    drafts: list[Draft] = []
    opening = earlier.opening
    # Two people who chat are both users with names, and nobody answers as an assistant.
    to_agent = any(m.role is not Role.USER or not m.name for m in (*earlier.messages, *turn.messages))
    between_notices = _between_notices((*earlier.messages, *turn.messages))
    heard = {word for message in earlier.messages for word in _heard(message)}
    asked = next((m.text for m in reversed(earlier.messages) if replies.speaks(m)), earlier.asked)
    for message in turn.messages:
        heard.update(_heard(message))
        found = _from_message(message, evidence, opening, to_agent, heard)
        if replies.speaks(message):
            if message.role is Role.USER and (answer := replies.given(message, asked)) is not None:
                found = replies.drafted(message, answer, found)
            asked = message.text if message.role is Role.ASSISTANT else ""
        drafts.extend(map(_without_folder, found) if message.id in between_notices else found)
        if message.role is Role.USER and message.origin is Origin.SAID:
            opening = False
    return drafts


def _between_notices(messages: Sequence[Message]) -> set[str]:
    """The ids of messages with a host's notice right before or after: a tool may have printed them between two tags."""
    notices = [m.role is Role.USER and m.origin is Origin.HOST_NOTICE for m in messages]
    beside = zip(messages, (False, *notices), (*notices[1:], False), strict=False)
    return {message.id for message, before, after in beside if before or after}


def _without_folder(draft: Draft) -> Draft:
    """The draft, as nobody's word on where a known folder is."""
    return replace(draft, topic="", value="") if draft.role is Role.USER and draft.topic.startswith(TOPIC) else draft


def _take(message: Message, evidence: Evidence) -> Outcome | None:
    if message.role is Role.TOOL:
        return evidence.answered(message)
    evidence.asked(message)
    return None


def _heard(message: Message) -> Sequence[str]:
    """The content words of what a user says."""
    return content_words(message.text[:_HEARD]) if message.role is Role.USER and message.origin is Origin.SAID else ()


def _from_message(
    message: Message, evidence: Evidence, opening: bool, to_agent: bool, heard: AbstractSet[str]
) -> Iterator[Draft]:
    outcome = _take(message, evidence)
    if message.origin is Origin.THINKING or not message.text:
        if outcome is not None:
            for shows in (known_folders, artifacts):
                yield from shows.from_outcome(outcome)
        return
    if mark := ORIGINS.get(message.origin):
        yield from _marked(message, mark)
        if outcome is not None:
            yield from tool_output.orders(outcome)
    elif outcome is not None:
        # The file of an edit comes before the line that reports the edit, which becomes evidence of it.
        for shows in (invalid_paths, known_folders, artifacts):
            yield from shows.from_outcome(outcome)
        yield from tool_output.report(outcome)
        yield from tool_output.orders(outcome)
    elif message.role is Role.USER:
        yield from _said_by_user(message, opening, to_agent, evidence.authorities)
    else:
        yield from _said_by_agent(message, evidence, heard)


def _said_by_user(message: Message, opening: bool, to_agent: bool, authorities: Authorities) -> Iterator[Draft]:
    failing = may_have_failure(message.text)
    units = tuple(_units(message, opening))
    tells = authorities.is_user(message) and _is_typed(message, units)
    for unit in units:
        for draft in _paths(unit, failing):
            yield draft if tells else _without_folder(draft)
    yield from _told(message, units, to_agent, weights(statements.TO_AGENT if to_agent else statements.CHAT))


def _is_typed(message: Message, units: Sequence[Utterance]) -> bool:
    """Whether all of a message are a few words of the user's own: nothing pasted, quoted, announced, listed or code."""
    if len(message.text) > _MAX_TYPED or message.text.count("\n") > _MAX_TYPED_BREAKS or "```" in message.text:
        return False
    return all(
        unit.kind is Kind.PLAIN and not unit.pasted and not unit.text.rstrip().endswith((":", "：")) for unit in units
    )


def said(message: Message, *, to_agent: bool, table: Weights) -> Iterator[Draft]:
    """What a user's message says that does not open a session, without the paths in it, rated by these weights."""
    return _told(message, tuple(_units(message, False)), to_agent, table)


def _told(message: Message, units: Sequence[Utterance], to_agent: bool, table: Weights) -> Iterator[Draft]:
    kind = statements.TO_AGENT if to_agent else statements.CHAT
    found = _sorted(units, to_agent)
    alone = (_draft(unit, hit, *statements.rated(unit, hit.rule, kind, table)) for unit, hit in found.alone)
    drafts = (
        _in_context(draft, units) for draft in chain(alone, statements.drafts(message, found.pieces, kind, table))
    )
    opening = next((unit for unit in units if unit.first and unit.opening), None)
    told = map(_as_told, learnt.judged(drafts, opening) if to_agent else drafts)
    revoked = [before for before, unit in pairwise(units) if not unit.pasted and revokes(unit.lower)]
    return (_revoked(draft, revoked) for draft in told) if revoked else told


def _revoked(draft: Draft, units: Sequence[Utterance]) -> Draft:
    """The draft; of a sentence that the next one takes back, as what is not so."""
    begins = draft.span.start
    gone = any(unit.start <= begins < unit.end for unit in units)
    return replace(draft, marks=draft.marks | {Mark.NEGATED}) if gone else draft


def _in_context(draft: Draft, units: Sequence[Utterance]) -> Draft:
    """What only sets one thing against another, with the sentence before it: "The test came back. It's lactose, not
    gluten"."""
    if not only_contrasts(draft.content):
        return draft
    kind = draft.category if draft.category in _ORDERING - {Category.GOAL} else Category.NOTE
    bare = replace(draft, category=kind, rule=CONTRAST, marks=draft.marks - {Mark.LOW_SALIENCE}, line=draft.content)
    start = draft.span.start
    before = next((unit for unit in reversed(units) if unit.end <= start), None)
    if before is None or before.kind is not Kind.PLAIN or before.pasted or before.asks or is_question(before.lower):
        return bare
    text = before.message.text
    if len(before.text) > _LONGEST_BEFORE or "\n\n" in text[before.end : start]:
        return bare
    content = " ".join(text[before.start : draft.span.end].split())
    return replace(bare, content=content, span=Span(draft.span.message_id, before.start, draft.span.end))


def _as_told(draft: Draft) -> Draft:
    """What somebody else orders is known, and no rule or request of who passes it on."""
    if draft.category in _ORDERING and not draft.rule.startswith(_ASKED) and passes_on(draft.content):
        return replace(draft, category=Category.NOTE)
    return draft


def sorted_sentences(message: Message, *, to_agent: bool) -> statements.Sorted:
    """The sentences of a user's message: those that stand alone, and the pieces from which passages are chosen."""
    return _sorted(tuple(_units(message, False)), to_agent)


def _sorted(units: Sequence[Utterance], to_agent: bool) -> statements.Sorted:
    rules, kind = (_USER_RULES, statements.TO_AGENT) if to_agent else (_CHAT_RULES, statements.CHAT)
    heard = [(unit, _hit(unit, rules)) for unit in units]
    return statements.sort(instructions.listed(heard) if to_agent else heard, kind)


def _said_by_agent(message: Message, evidence: Evidence, heard: AbstractSet[str]) -> Iterator[Draft]:
    failing = may_have_failure(message.text)
    units = tuple(_units(message, False))
    for unit, finding in zip(units, learnt.findings(units, heard), strict=True):
        yield from _paths(unit, failing, evidence)
        hit = sentence_rules.claim(unit, evidence) or sentence_rules.open_item(unit) or sentence_rules.decision(unit)
        if hit:
            yield _draft(unit, hit)
        elif finding:
            yield _draft(unit, finding.hit, finding.lasting)


def _paths(unit: Utterance, failing: bool, evidence: Evidence | None = None) -> Iterator[Draft]:
    # Asked of the whole message first: the question has many phrases, and most messages have none of them.
    if failing and may_have_failure(unit.text):
        yield from invalid_paths.from_sentence(unit)
    yield from artifacts.from_sentence(unit, evidence)


def _marked(message: Message, mark: Mark) -> Iterator[Draft]:
    for draft in _marked_once(message.text, message.role, mark):
        yield replace(draft, span=Span(message.id, draft.span.start, draft.span.end))


@lru_cache(maxsize=64)
def _marked_once(text: str, role: Role, mark: Mark) -> tuple[Draft, ...]:
    """The drafts of a text that hosts repeat word for word, such as the system prompt of each session."""
    units = _units(Message(role, text), False, spoken=False)
    heard_in_it = ((unit, hit) for unit in units if (hit := _hit(unit, _USER_RULES[:4])) is not None)
    return tuple(_draft(unit, hit._replace(marks=hit.marks | {mark})) for unit, hit in heard_in_it)


def _hit(unit: Utterance, rules: Iterable[Rule]) -> Hit | None:
    """What the first rule that fires says; of a question rather what a later rule makes of it that fits questions."""
    asked = None
    for rule in rules:
        hit = rule(unit)
        if hit is not None and Mark.QUESTION not in hit.marks:
            return hit
        asked = asked or hit
    return asked


def _units(message: Message, opening: bool, *, spoken: bool = True) -> Iterator[Utterance]:
    """The parts of a message as the rules hear them; the first is the first that says anything."""
    first = True
    for part in segments(message, spoken=spoken):
        yield utterance(
            message, part.text, part.start, part.kind, first=first, opening=opening, pasted=part.pasted, asks=part.asks
        )
        # Which sentence is the first that says anything matters only where a session opens.
        first = first and opening and is_low_information(part.text)


def _end_of_announced(text: str, end: int) -> int:
    """Where the next line with words ends: 'Implement this plan:' means nothing without it."""
    match = _NEXT_LINE.match(text, end)
    return match.end() if match and not of_a_paste(text[match.start() : match.end() + _NEXT_ROW]) else end


def _draft(unit: Utterance, hit: Hit, salience: float = UNRATED, shares: tuple[tuple[str, float], ...] = ()) -> Draft:
    marks = hit.marks
    if unit.pasted or unit.kind in _QUOTED:
        marks |= {Mark.QUOTED}
    text = unit.message.text
    begins, ends = bare(unit.text)
    start, end = unit.start + begins, unit.start + ends
    if hit.category is Category.GOAL and unit.text.endswith((":", "：")):
        end = _end_of_announced(text, unit.end)
    content = " ".join(text[start:end].split())
    by_user = unit.message.role is Role.USER
    return Draft(
        hit.category,
        content,
        Span(unit.message.id, start, end),
        unit.message.role,
        hit.rule,
        hit.confidence,
        unit.line,
        marks,
        event_time(content, unit.message.created_at, text[max(0, unit.start - SHORTLY_BEFORE) : unit.start])
        if by_user
        else None,
        speaker=unit.message.name if by_user else "",
        salience=salience,
        shares=shares,
    )
