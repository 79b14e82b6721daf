"""What a draft is to older facts of nearly the same subject, as the learnt head judges: the same, newer, or opposed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from cfpm.model import CONTRAST, Accepted, Category, Merged, Role, Superseding
from cfpm.model.patterns import lazy_pattern
from cfpm.pruner.candidates import Ledger, may_end_a_rule, states
from cfpm.pruner.changes import LIKE_A_RULE, STANDING_RULES, Proposal, Resolution, Writer, holds_beside
from cfpm.text import content_words, is_question
from cfpm.text.changes import denied_in, for_this_once
from cfpm.text.grammar.reading import Reading, read
from cfpm.text.heads.contrast import BESIDE, OVER, contrast, ends
from cfpm.text.heads.linear import Seen, head
from cfpm.text.heads.nearness import LEAST as WORTH_READING
from cfpm.text.heads.nearness import Older, closeness, likelihoods
from cfpm.text.heads.relation import judge
from cfpm.text.heads.replacement import REPLACES, replaces, signs_of_change, takes_back
from cfpm.text.heads.rule_change import READ, ended
from cfpm.text.heads.sentence import judge as judge_sentences
from cfpm.text.modality import answer_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cfpm.model import Draft, Fact
    from cfpm.pruner.candidates import Near
    from cfpm.text.heads.nearness import Closeness
    from cfpm.text.heads.relation import Judgement

SAME, OPPOSED = 900, 870
"""Thousandths from which a draft is taken for the same, and for one that speaks against a fact: of update and
contradiction together, where the latter is the larger. What is rather an update and replaces nothing is right in one of
four cases of 42 in stories, and is not linked. Of 258 rewordings of authors kept apart 163 are merged from the first,
and 7 others; from 800 on 175, and 14."""

TAKEN_BACK = 400
"""Thousandths of update and contradiction together from which "no wait, five" is about what was said right before.
Hardly measured."""

ANOTHER_VALUE = 700
"""Thousandths of update and contradiction together from which what says the same with another value replaces it: of 700
pairs by three authors kept apart four more than from `OPPOSED` on, and one other."""

RELATED = 500
"""Thousandths of "different" below which what has no other words than a fact is taken for it: some relation is likelier
than none."""

CHANGES = 300
"""Thousandths of an update below which what forbids something changes no rule that asks for something else.
Set by a few pairs, not measured."""

_VALUE_WORDS = 2
"""Words of which a value has at most as many."""

RULES = 6
"""Times as many pairs that are read besides where standing rules are near: to miss what ends one costs most, and a
message may change several. With 2, three changes in ten of two authors' dialogues were not looked at."""

MAY_RULE = 50
"""Thousandths that it is a rule from which what is none, and has no word of change, may end one: of 325 ends of rules
in six authors' dialogues 309 reach it, of 17 that were wrongly seen in four long chats (BEAM 100K) 6."""


ORDERED, OF_THE_TASK = 300, 600
"""Thousandths that it is a goal, and of the task or the moment, from which a statement without a word of change ends no
standing rule: both stand, and name each other. Of 598 ends of rules in 113 stories it is so for five, which were right;
of 155 orders of the moment by five authors who had seen nothing for 81, and of their 207 changes of rules for 12."""


@dataclass(slots=True)
class Meaning:
    """Asked last, for a draft that no rule could place. Give all drafts of the turn to `expect` first."""

    ledger: Ledger
    write: Writer
    most: int
    """Pairs of statements that are read in the turn."""
    places: dict[str, int] = field(default_factory=dict)
    """Of the drafts of the turn, by what they say."""
    waiting: list[tuple[float, int, str]] = field(default_factory=list)
    """A heap of the pairs worth reading, the likeliest first: log odds times -1, the draft's place, the fact's id."""

    def expect(self, drafts: Sequence[Draft]) -> None:
        """Weighs what is near to the drafts of a turn, so that those pairs are read that are most worth it."""
        for draft in drafts:
            shows = _shows_a_change(draft)
            near = self.ledger.told_near(draft, passing=shows)
            if not near or draft.content in self.places or not states(draft, passing=shows):
                continue
            place = self.places[draft.content] = len(self.places)
            odds = likelihoods(draft.content, [_older(one) for one in near])
            for one, odd in zip(near, odds, strict=True):
                if odd >= WORTH_READING:
                    heappush(self.waiting, (-odd, place, one.fact.id))

    def find(self, new: Proposal) -> Resolution | None:
        """Where the draft goes; None when all that is near can be true beside it."""
        if not may_end_a_rule(new.draft):
            return None
        # What shows by its words that something holds no longer may be taken for a goal, and may end one.
        shows = _shows_a_change(new.draft)
        near = self.ledger.told_near(new.draft, passing=shows)
        self.ledger.compared += len(near)
        if not states(new.draft, passing=shows):
            return self._ends_rules(new, near)
        if (corrected := self._corrects(new)) is not None:
            return corrected
        if new.draft.rule == CONTRAST:
            denied = denied_in(new.draft.line).lower()
            named = [one.fact for one in near if denied in one.fact.content.lower()]
            # Of several, it does not say which one is meant.
            return self._in_place_of(new, named, "it says what is not so") if len(named) == 1 else None
        chosen = self._worth_reading(new.draft, [one.fact for one in near])
        self.ledger.read += len(chosen)
        close = dict(zip((one.fact.id for one in near), closeness([one.meant for one in near]), strict=True))
        later = [fact for fact in chosen if self.write.comes_before(fact)]
        if (outdated := self._said_before(new, later, close)) is not None:
            return outdated
        judged = list(zip(chosen, judge(new.draft.content, [fact.content for fact in chosen]), strict=True))
        if not states(new.draft):
            return self._newer(new, judged, close) or self._ends_rules(new, near)
        return (
            self._same(new, judged)
            or self._newer(new, judged, close)
            or self._another_value(new, judged)
            or self._ends_rules(new, near)
            or self._opposed(new, judged)
        )

    def _worth_reading(self, draft: Draft, near: list[Fact]) -> list[Fact]:
        """The likeliest of these, as far as no later draft of the turn has likelier ones that are to be read."""
        place = self.places.get(draft.content, len(self.places))
        best: list[tuple[float, int, str]] = []
        while self.waiting and len(best) < self.most - self.ledger.read:
            if (one := heappop(self.waiting))[1] >= place:
                best.append(one)
        for one in best:
            if one[1] != place:
                heappush(self.waiting, one)
        facts = {fact.id: fact for fact in near}
        return [facts[name] for _, of, name in best if of == place and name in facts]

    def _corrects(self, new: Proposal) -> Resolution | None:
        """In one message: "We need six chairs. No wait, five." names a value and not what it is of."""
        draft = new.draft
        if not (takes_back(draft.content) or takes_back(draft.line)):
            return None
        fact = self.ledger.just_said(draft)
        if fact is None or self.ledger.read >= self.most:
            return None
        self.ledger.read += 1
        shares = judge(draft.content, [fact.content])[0]
        numbers = read(draft.content).numbers, read(fact.content).numbers
        if shares.update + shares.contradict < TAKEN_BACK and not (all(numbers) and numbers[0] != numbers[1]):
            return None
        return self._in_place_of(new, [fact], "it takes back what was said right before")

    def _ends_rules(self, new: Proposal, near: list[Near]) -> Resolution | None:
        if not _rules_itself(new.draft):
            return None
        said = new.draft.content
        if for_this_once(said):
            return None
        rules = [
            one
            for one in _rules_among(near)
            if not _of_other_files(said, one.fact.content) and not _says_again(said, one.fact.content)
        ]
        if not rules or self.ledger.rules_read + READ > RULES * self.most:
            return None
        self.ledger.rules_read += READ
        gone = [
            (place, share)
            for place, share in ended(said, [_older(one) for one in rules])
            if not any(stays(said, rules[place].fact.content) for stays in (_stays_beside, _forbids_another))
        ]
        if not gone:
            return None
        return self._in_place_of(new, [rules[place].fact for place, _ in gone], f"ends a rule {gone[0][1]} of 1000")

    def _same(self, new: Proposal, judged: list[tuple[Fact, Judgement]]) -> Resolution | None:
        for fact, shares in judged:
            again = shares.different < RELATED and _says_again(new.draft.content, fact.content)
            if again or (shares.same >= SAME and _may_be_same(new, fact)):
                detail = "says nothing else" if again else f"same {shares.same} of 1000"
                change = self.write.reinforce(fact, new)
                return Resolution(Merged(fact.id, "meaning", "near_duplicate", detail), (change,))
        return None

    def _newer(
        self, new: Proposal, judged: list[tuple[Fact, Judgement]], close: Mapping[str, Closeness]
    ) -> Resolution | None:
        said = new.draft.content
        if for_this_once(said):
            return None
        sure = [
            (fact, _share_over(said, fact.content, shares, close[fact.id]))
            for fact, shares in judged
            if not any(kept(said, fact.content) for kept in (_says_again, _of_other_files, _answers_another))
        ]
        gone = [(fact, share) for fact, share in sure if share >= REPLACES]
        return self._in_place_of(new, [fact for fact, _ in gone], f"update {gone[0][1]} of 1000") if gone else None

    def _another_value(self, new: Proposal, judged: list[tuple[Fact, Judgement]]) -> Resolution | None:
        """What the user said before of the very same thing with another value: what was said last holds."""
        said = new.draft.content
        gone = [
            (fact, shares.update + shares.contradict)
            for fact, shares in judged
            if shares.update + shares.contradict >= ANOTHER_VALUE
            and fact.role is new.draft.role is Role.USER
            and fact.message_id != new.draft.span.message_id
            and not contrast(said)
            and is_another_value(said, fact.content)
        ]
        if not gone or for_this_once(said):
            return None
        return self._in_place_of(new, [fact for fact, _ in gone], f"another value {gone[0][1]} of 1000")

    def _said_before(self, new: Proposal, later: list[Fact], close: Mapping[str, Closeness]) -> Resolution | None:
        """Where facts that were said after it, though they were read before, take its place."""
        said = new.draft.content
        over = [
            fact
            for fact in later
            if not any(kept(fact.content, said) for kept in (_says_again, _of_other_files, _answers_another))
            and replaces(fact.content, said, judge(fact.content, [said])[0], close[fact.id]) >= REPLACES
        ]
        return self.write.outdated(self.write.new(new, self.ledger.fact(new.id)), over) if over else None

    def _in_place_of(self, new: Proposal, facts: list[Fact], detail: str) -> Resolution:
        if (others := [fact for fact in facts if fact.category not in STANDING_RULES]) != facts and _is_one_order(new):
            # "Deploy it now, it's before three" ends no "never deploy after three"; "make it 40" may.
            if not others:
                return self._linked(new, facts, detail)
            facts = others
        stay = [fact for fact in facts if holds_beside(fact, new.draft.content)]
        if len(stay) == len(facts):
            return self._linked(self.write.in_kind_of(new, facts, self.ledger.fact), facts, f"{detail}, in part")
        gone = [fact for fact in facts if fact not in stay]
        new, changes = self.write.take_place(new, gone, self.ledger.fact)
        beside = (self.write.contradict(fact, new) for fact in stay)
        return Resolution(Superseding(new.id, gone[0].id, "meaning", "corrected", detail), (*changes, *beside))

    def _opposed(self, new: Proposal, judged: list[tuple[Fact, Judgement]]) -> Resolution | None:
        against = [
            (fact, shares)
            for fact, shares in judged
            if shares.update + shares.contradict >= OPPOSED and shares.contradict >= shares.update
        ]
        if not against:
            return None
        share = against[0][1].update + against[0][1].contradict
        return self._linked(new, [fact for fact, _ in against], f"update or contradiction {share} of 1000")

    def _linked(self, new: Proposal, facts: list[Fact], detail: str) -> Resolution:
        """Both stand, and each names the other."""
        created = self.write.new(new, self.ledger.fact(new.id))
        linked = replace(created, after=replace(created.after, contradicts=" ".join(fact.id for fact in facts)))
        changes = [self.write.contradict(fact, new) for fact in facts]
        return Resolution(Accepted(new.id, "contradicting", detail=detail), (linked, *changes))


def is_another_value(newer: str, older: str) -> bool:
    """Whether two statements say the same but for a value: a number, a name, a word or two in the place of others."""
    one, other = read(newer), read(older)
    if one.negated or other.negated or one.question or other.question:
        return False
    numbers, others = {*one.numbers}, {*other.numbers}
    words, older_words = {*one.words} - numbers, {*other.words} - others
    mine, yours = words - older_words, older_words - words
    if max(len(mine), len(yours)) > min(_VALUE_WORDS, len(words & older_words)):
        return False
    return bool(mine and yours) or (bool(numbers and others) and numbers != others)


def _older(one: Near) -> Older:
    return Older(one.fact.content, one.cosine, one.meant, one.said)


def _share_over(newer: str, older: str, told: Judgement, close: Closeness) -> int:
    """That a newer statement takes an older one's place, in thousandths: what sets one thing against another is read
    by its sides."""
    share = ends(newer, older, told)
    if share is None or BESIDE <= share < OVER:
        return replaces(newer, older, told, close)
    return max(REPLACES, share) if share >= OVER else 0


def _is_one_order(new: Proposal) -> bool:
    """Whether it asks for one thing to be done, and has no word of change."""
    if _shows_a_change(new.draft):
        return False
    (told,) = judge_sentences([new.draft.content])
    return told.kind["goal"] >= ORDERED and told.lasting["task"] + told.lasting["moment"] >= OF_THE_TASK


def _shows_a_change(draft: Draft) -> bool:
    return any(signs_of_change(draft.content).values()) or contrast(draft.content) is not None


def _rules_itself(draft: Draft) -> bool:
    """Whether it may end a rule: it is one, is a little like one, or says that something holds no longer. A request
    for help with what a rule is about ("can you review my draft?") ends nothing, and no other question does."""
    if draft.category in STANDING_RULES or _shows_a_change(draft):
        return True
    if is_question(draft.content.lower()):
        return False
    (kinds,) = head("user").of(Seen([draft.content]))
    return kinds["instruction"] >= MAY_RULE


def _of_other_files(one: str, other: str) -> bool:
    """Whether both name files, and none that the other names: such rules stand beside each other."""
    mine, yours = ({name for name in read(text).exact if "." in name.strip(".")} for text in (one, other))
    return bool(mine and yours) and mine.isdisjoint(yours)


def _answers_another(newer: str, older: str) -> bool:
    """Whether both answer questions that share no word: "Any pets?" and "Who looks after Rex?"."""
    one, other = (text.removesuffix(answer_in(text)) if answer_in(text) else "" for text in (newer, older))
    return bool(one and other) and set(content_words(one)).isdisjoint(content_words(other))


def _stays_beside(newer: str, older: str) -> bool:
    """Whether what sets one thing against another leaves an older statement as it is."""
    share = ends(newer, older, judge(newer, [older])[0]) if contrast(newer) else None
    return share is not None and share < BESIDE


def _forbids_another(newer: str, older: str) -> bool:
    """Whether it forbids something, and not what the older rule asks for: "never deploy on Fridays" beside "always
    deploy from main"."""
    one, other = read(newer), read(older)
    if not one.negated or other.negated or set(other.words) <= set(one.words):
        return False
    return judge(newer, [older])[0].update < CHANGES


def _says_again(newer: str, older: str) -> bool:
    """Whether no word of it says anything that the older one does not, and none of change or denial stands in it: "I
    said yarn"."""
    one, other = read(newer), read(older)
    own = [word for word in one.words if word not in _SAYING]
    if signs_of_change(newer)["over"] or one.negated or one.question or _LIMITS.search(newer.lower()):
        return False
    named = {*one.exact, *one.numbers} <= {*other.exact, *other.numbers}
    return bool(own) and named and set(own) <= set(other.words) - set(other.negated)


_LIMITS = lazy_pattern(r"\b(?:just|only|from now on|instead|now)\b|以后|从现在|只[用要写说]|改[成为]")
"""Words by which a rule says less than before, or another thing: "sign as Bo now" beside "sign as Bo & sons"."""

_SAYING = frozenset({"say", "tell", "mean", "again", "already"})
"""Words with which a rule is said again, as the grammar gives them."""


def _rules_among(near: list[Near]) -> list[Near]:
    """Those that are standing rules, or notes that are much like one."""
    kinds = head("user").of(Seen([one.fact.content for one in near]))
    return [
        one
        for one, shares in zip(near, kinds, strict=True)
        if one.fact.category in STANDING_RULES or shares["instruction"] >= LIKE_A_RULE
    ]


def _may_be_same(new: Proposal, fact: Fact) -> bool:
    """Identifiers and denial must agree, whatever the head says, and numbers and names where both have some: "an only
    child" is nobody's 1. A rule is not lost in a note."""
    if new.draft.category is Category.INSTRUCTION and fact.category is not Category.INSTRUCTION:
        return False
    one, other = read(new.draft.content), read(fact.content)
    if (one.exact, one.question) != (other.exact, other.question):
        return False
    if one.numbers and other.numbers and one.numbers != other.numbers:
        return False
    # A name that opens a sentence is not known for one.
    named = all(name in other.folded for name in one.names) or all(name in one.folded for name in other.names)
    return named and not _turned_round(one, other)


def _turned_round(one: Reading, other: Reading) -> bool:
    """Whether only one of them denies what both say in much the same words; "stays up late" and "is never in bed
    early" have no words in common."""
    mine, yours = set(one.words), set(other.words)
    alike = 2 * len(mine & yours) >= min(len(mine), len(yours))
    return alike and bool(one.negated) != bool(other.negated)
