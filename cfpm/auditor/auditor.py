"""The order of the rules. The first that objects decides; what none objects to goes on to the pruner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from cfpm.auditor import momentary_rules, nonliteral_rules, path_rules, rules, shape_rules
from cfpm.auditor.context import AuditContext
from cfpm.model import PATH_CATEGORIES, Category, Draft, Mark, Rejected
from cfpm.text.canonical import canonical_key

Check = Callable[[Draft, AuditContext], str | None]
"""Returns why it objects (may be an empty text), or None."""

ALL_KINDS = frozenset(Category)
STATEMENTS = ALL_KINDS - PATH_CATEGORIES - {Category.VERIFIED_ACTION}
"""What somebody states, wants or asks for; not where something is or what was done."""

INVALID_PATH = frozenset({Category.INVALID_PATH})
ARTIFACT = frozenset({Category.ARTIFACT})


@dataclass(frozen=True, slots=True)
class Rule:
    """A check, the kinds of drafts that are put to it, and what its objection is called."""

    check: Check
    code: str = ""
    """The reason code, where it is not the name."""
    kinds: frozenset[Category] = ALL_KINDS
    named: str = ""
    """The name, where one check serves several rules."""
    of_marks: bool = False
    """True when it objects to a mark and to nothing else; most drafts bear none."""

    @property
    def name(self) -> str:
        """As the audit shows it."""
        return self.named or self.check.__name__


def _of_statements(check: Check, code: str) -> Rule:
    return Rule(check, code, STATEMENTS)


def _of_path(check: Check, kinds: frozenset[Category]) -> Rule:
    (kind,) = kinds
    return Rule(check, kinds=kinds, named=f"{kind}_{check.__name__}")


def _marked(mark: Mark, detail: str = "") -> Rule:
    """Objects to a mark of the extractor, after which the rule is named."""
    return Rule(lambda draft, _: detail if mark in draft.marks else None, named=mark.value, of_marks=True)


RULES: tuple[Rule, ...] = (
    Rule(rules.empty_content),
    Rule(rules.echo_of_memory),
    Rule(nonliteral_rules.recited, "echo_of_memory", ALL_KINDS - PATH_CATEGORIES),
    Rule(rules.boilerplate),
    _of_statements(momentary_rules.in_brackets, "boilerplate"),
    Rule(rules.secret),
    Rule(rules.too_short),
    Rule(rules.instruction_from_tool),
    Rule(rules.untrusted_source, of_marks=True),
    _of_statements(nonliteral_rules.hearsay, "quoted"),
    _marked(Mark.QUOTED),
    _of_statements(nonliteral_rules.acted, "quoted"),
    Rule(rules.runtime_log_noise),
    Rule(rules.noise_error_line, kinds=ALL_KINDS - INVALID_PATH),
    Rule(rules.too_long),
    _of_statements(shape_rules.code_or_data, "quoted"),
    _of_statements(shape_rules.all_in_quotes, "quoted"),
    _of_statements(shape_rules.reported, "quoted"),
    Rule(rules.ungrounded),
    _of_path(path_rules.unhelpful, INVALID_PATH),
    _of_path(path_rules.not_path_like, INVALID_PATH),
    _of_path(path_rules.not_clean_path, INVALID_PATH),
    _of_path(path_rules.not_concrete_absolute, INVALID_PATH),
    _of_path(path_rules.unhelpful, ARTIFACT),
    _of_path(path_rules.not_path_like, ARTIFACT),
    _of_path(path_rules.not_clean_path, ARTIFACT),
    _of_path(path_rules.not_absolute_or_project_relative, ARTIFACT),
    _of_path(path_rules.known_folder_missing, ARTIFACT),
    Rule(path_rules.artifact_unproven, "verified_action_unconfirmed", ARTIFACT),
    Rule(rules.open_item_unconfirmed, kinds=frozenset({Category.OPEN_ITEM})),
    _marked(Mark.QUESTION),
    _of_statements(nonliteral_rules.in_jest, "hypothetical"),
    _marked(Mark.HYPOTHETICAL),
    _of_statements(nonliteral_rules.supposed, "hypothetical"),
    _marked(Mark.NEGATED),
    _of_statements(nonliteral_rules.denied, "negated"),
    _marked(Mark.TRANSIENT),
    _of_statements(nonliteral_rules.of_the_moment, "transient"),
    _of_statements(nonliteral_rules.for_this_once, "transient"),
    _of_statements(momentary_rules.of_the_work_at_hand, "transient"),
    _marked(Mark.CONTRADICTED, "the tool results of this turn say the opposite"),
    Rule(rules.verified_action_unconfirmed, kinds=frozenset({Category.VERIFIED_ACTION})),
    Rule(rules.low_information),
    _of_statements(nonliteral_rules.about_the_other, "low_information"),
    _of_statements(nonliteral_rules.only_thanks, "low_information"),
    _of_statements(nonliteral_rules.only_comments, "low_information"),
    _of_statements(nonliteral_rules.only_reacts_to, "low_information"),
    _of_statements(momentary_rules.of_no_subject, "low_information"),
    Rule(rules.low_salience, of_marks=True),
)
"""First what the text is, then where it comes from, then what it says."""

_BROKEN = "the same turn reports it as broken"


def audit(drafts: Sequence[Draft], view: AuditContext) -> list[Rejected | None]:
    """A refusal, or None, for each draft of one turn, in order."""
    refusals = [_over_capacity(position, view) or judge(draft, view) for position, draft in enumerate(drafts)]
    broken = {
        canonical_key(draft.category, draft.content)
        for draft, refusal in zip(drafts, refusals, strict=True)
        if refusal is None and draft.category is Category.INVALID_PATH
    }
    said: dict[str, Category] = {}
    verdicts: list[Rejected | None] = []
    for draft, objection in zip(drafts, refusals, strict=True):
        refusal = objection
        if refusal is None:
            key = canonical_key(draft.category, draft.content, draft.speaker)
            # A path that worked, failed and worked again is news each time; other things are said once.
            name = key if draft.category in PATH_CATEGORIES else f"{draft.category}:{key}"
            if said.get(name) is draft.category:
                refusal = Rejected("duplicate", "duplicate", "the same turn said it before")
            elif draft.category is Category.ARTIFACT and key in broken and draft.rule not in path_rules.PROVEN:
                refusal = Rejected("artifact_marked_invalid", "artifact_marked_invalid", _BROKEN)
            else:
                said[name] = draft.category
        verdicts.append(refusal)
    return verdicts


def judge(draft: Draft, view: AuditContext) -> Rejected | None:
    """The first objection to a draft taken alone, or None."""
    for rule in _rules_for(draft.category, bool(draft.marks)):
        detail = rule.check(draft, view)
        if detail is not None:
            return Rejected(rule.code or rule.name, rule.name, detail)
    return None


@cache
def _rules_for(category: Category, marked: bool) -> tuple[Rule, ...]:
    return tuple(rule for rule in RULES if category in rule.kinds and (marked or not rule.of_marks))


def _over_capacity(position: int, view: AuditContext) -> Rejected | None:
    if position < view.max_drafts:
        return None
    return Rejected("over_capacity", "over_capacity", f"draft {position + 1} of one turn, at most {view.max_drafts}")
