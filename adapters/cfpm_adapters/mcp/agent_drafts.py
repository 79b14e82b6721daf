"""What an agent asks to be remembered: a draft of the agent's through the auditor, never the user's word.

The words become a message in the session's log, as what the agent thinks: kept and cited, but not mined and not shown
by themselves. The draft that cites them is judged by the same marks and rules as what is said anywhere. What only the
user can give (a rule, a wish, a decision, a portrait), or reads like an order, counts if the user said it in a short
message of this session, or if the setting `trust` has `remember = "own"`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cfpm.auditor.reasons import REASONS
from cfpm.auditor.rules import SPOKEN
from cfpm.errors import InputError
from cfpm.extractor.extractor import extract
from cfpm.memory import Memory
from cfpm.model import Candidate, Category, Decision, Draft, Mark, Message, Origin, Role, Span, Status, Turn
from cfpm.model.ids import digest
from cfpm.model.trust import Trust, TrustTable
from cfpm.pipeline.redaction import session_without_secrets
from cfpm.text import content_words, sentences
from cfpm.text.foreign import orders_in
from cfpm.text.modality import marks_around
from cfpm_adapters.mcp.answers import Remembered

TOOL = "remember"
"""The name by which the setting `trust` knows it."""

RULE = "agent.remember"

TYPED = 600
"""Characters of a message that counts as typed: in a longer one may stand what somebody else wrote."""

SUPPORT = 0.8
"""Share of the content words that the user must have said for it to be theirs."""

LATELY = 200
"""Messages of the session in which the user's words are looked for, the newest."""

CONFIDENCE = 0.6
"""A note that the agent makes of its own accord; what a user says begins at 0.7."""


@dataclass(frozen=True, slots=True)
class _Drafting:
    """The extra extractor: one draft for the message with this id."""

    message_id: str
    category: Category
    trust: Trust
    supported: bool

    def __call__(self, turn: Turn) -> Iterator[Draft]:
        message = next((one for one in turn.messages if one.id == self.message_id), None)
        if message is None:
            return
        as_agent = extract(Turn(turn.session, 0, (replace(message, origin=Origin.SAID),)))
        if claims := [draft for draft in as_agent if draft.category is Category.VERIFIED_ACTION]:
            # A claim of what was done asks for evidence, under whatever name it comes.
            yield from claims
            return
        span = Span(message.id, 0, len(message.text))
        marks = self._marks(message)
        yield Draft(self.category, message.text, span, Role.ASSISTANT, RULE, CONFIDENCE, line=message.text, marks=marks)

    def _marks(self, message: Message) -> frozenset[Mark]:
        """What the language says, as of a user's sentence, and whether the agent may say this at all."""
        as_user = extract(Turn("", 0, (replace(message, role=Role.USER, origin=Origin.SAID),)))
        marks = frozenset(mark for draft in as_user for mark in draft.marks)
        for sentence in sentences(message.text):
            lower = sentence.text.lower()
            marks |= marks_around(lower, len(lower), len(lower)) & {Mark.HYPOTHETICAL, Mark.QUESTION}
        # It is asked for by name, so what it is worth is not for us to say.
        marks -= {Mark.LOW_SALIENCE, Mark.PASSING}
        if self.trust is Trust.OWN:
            return marks
        ordered = next(orders_in(message.text, thorough=False), None) is not None
        only_the_users = (self.category in SPOKEN or ordered) and not self.supported
        return marks | {Mark.UNTRUSTED} if self.trust is Trust.UNTRUSTED or only_the_users else marks


def remember(memory: Memory, text: str, category: Category, session: str) -> Remembered:
    """The verdict on the agent's words. The same words again give the same verdict, and no second fact.

    Raises InputError for a blank text.
    """
    words = text.strip()
    if not words:
        raise InputError("text", "it is empty", "Say what is to be remembered")
    trust = TrustTable.of(memory.settings.trust).of_tool(TOOL)
    session = session_without_secrets(session)
    drafting = _Drafting("", category, trust, _user_said(memory, words, session))
    attempt = 0
    while True:
        name = f"{TOOL}_{digest(session, category, words, str(attempt))}"
        if memory.store.log.get(memory.scope.namespace, name) is None:
            break
        if (known := _verdict(memory, name)) is None or known.decision is Decision.REJECTED or _stands(memory, known):
            return _told(memory, known)
        # What was believed and is not any more may be said again.
        attempt += 1
    drafts = replace(memory, extractors=(*memory.extractors, replace(drafting, message_id=name)))
    drafts.observe([Message(Role.ASSISTANT, words, name, origin=Origin.THINKING)], session=session)
    return _told(memory, _verdict(memory, name))


def _user_said(memory: Memory, words: str, session: str) -> bool:
    """Whether the user typed nearly all of its words in one message of this session."""
    wanted = set(content_words(words)) - {"user", "users"}
    if not wanted:
        return False
    rows = memory.store.log.messages(memory.scope.namespace, session=session)
    said = (row.message for row in rows[-LATELY:])
    typed = (m.text for m in said if m.role is Role.USER and m.origin is Origin.SAID and len(m.text) <= TYPED)
    return any(_held(wanted, set(content_words(one))) >= SUPPORT * len(wanted) for one in typed)


def _held(wanted: set[str], said: set[str]) -> int:
    return sum(word in said or any(_same_word(word, other) for other in said) for word in wanted)


def _same_word(one: str, other: str) -> bool:
    """Whether two words differ in their ending alone: `prefers`, `prefer`. Numbers and names with digits never do."""
    shared = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one.isalpha() and other.isalpha() and shared >= max(4, len(one) - 3, len(other) - 3)


def _verdict(memory: Memory, message_id: str) -> Candidate | None:
    """The verdict on our draft, or on what our own rules made of the same words."""
    row = memory.store.log.get(memory.scope.namespace, message_id)
    found = (
        memory.store.candidates.find(memory.scope.namespace, session=row.session, message_id=message_id) if row else []
    )
    return next((one for one in found if one.extractor == RULE), found[0] if found else None)


def _stands(memory: Memory, known: Candidate) -> bool:
    fact = memory.store.facts.get(memory.scope.namespace, known.fact_id)
    return fact is not None and fact.status is Status.ACTIVE


def _told(memory: Memory, verdict: Candidate | None) -> Remembered:
    if verdict is None:
        meaning = "Nothing came of it: it may be off the record, or was erased."
        return Remembered(stored=False, decision="", reason="", meaning=meaning)
    stored = verdict.decision is not Decision.REJECTED and _stands(memory, verdict)
    meaning = REASONS[verdict.reason].sentence
    if verdict.reason == "untrusted_source":
        meaning += f" The user can say it, or accept it: cfpm audit accept {verdict.id}"
    return Remembered(
        stored=stored,
        decision=verdict.decision.value,
        reason=verdict.reason,
        meaning=meaning,
        fact_id=verdict.fact_id if stored else "",
        candidate_id=verdict.id,
    )
