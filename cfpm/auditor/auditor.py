"""The order of the rules. The first that objects decides; what none objects to goes on to the pruner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from cfpm.auditor import momentary_rules, nonliteral_rules, path_rules, rules, shape_rules
from cfpm.auditor.context import AuditContext
from cfpm.model import PATH_CATEGORIES, Category, Draft, Rejected
from cfpm.text.canonical import canonical_key

Rule = Callable[[Draft, AuditContext], str | None]
"""Returns why it objects (may be an empty text), or None. A rule's name is its reason code, unless `CODES` says
otherwise."""

RULES: tuple[Rule, ...] = (
    rules.empty_content,
    rules.echo_of_memory,
    nonliteral_rules.recited,
    rules.boilerplate,
    momentary_rules.in_brackets,
    rules.secret,
    rules.too_short,
    rules.instruction_from_tool,
    rules.quoted,
    nonliteral_rules.acted,
    rules.runtime_log_noise,
    rules.noise_error_line,
    rules.too_long,
    shape_rules.code_or_data,
    shape_rules.all_in_quotes,
    shape_rules.reported,
    rules.ungrounded,
    path_rules.invalid_path_unhelpful,
    path_rules.invalid_path_not_path_like,
    path_rules.invalid_path_not_clean_path,
    path_rules.invalid_path_not_concrete_absolute,
    path_rules.artifact_unhelpful,
    path_rules.artifact_not_path_like,
    path_rules.artifact_not_clean_path,
    path_rules.artifact_not_absolute_or_project_relative,
    path_rules.artifact_known_folder_missing,
    path_rules.artifact_unproven,
    rules.open_item_unconfirmed,
    rules.question,
    rules.hypothetical,
    nonliteral_rules.supposed,
    nonliteral_rules.in_jest,
    rules.negated,
    nonliteral_rules.denied,
    rules.transient,
    nonliteral_rules.of_the_moment,
    nonliteral_rules.for_this_once,
    momentary_rules.of_the_work_at_hand,
    rules.contradicted,
    rules.verified_action_unconfirmed,
    rules.low_salience,
    rules.low_information,
    nonliteral_rules.about_the_other,
    nonliteral_rules.only_thanks,
    nonliteral_rules.only_comments,
    nonliteral_rules.only_reacts_to,
    momentary_rules.of_no_subject,
)
"""First what the text is, then where it comes from, then what it says."""

_OF_ONE_KIND: dict[str, Category] = {
    "invalid_path_": Category.INVALID_PATH,
    "artifact_": Category.ARTIFACT,
    "open_item_": Category.OPEN_ITEM,
    "verified_action_": Category.VERIFIED_ACTION,
}
"""How the names of rules begin that object to one kind of draft only; the others need not be asked."""

_BROKEN = "the same turn reports it as broken"

ABOUT_STATEMENTS = frozenset(
    rule
    for rule in RULES
    if rule.__module__ in (momentary_rules.__name__, nonliteral_rules.__name__, shape_rules.__name__)
) - {nonliteral_rules.recited}
"""Rules that object to what somebody states, wants or asks for; never to where something is or to what was done."""

ABOUT_MARKS = frozenset(
    {
        rules.quoted,
        rules.question,
        rules.hypothetical,
        rules.negated,
        rules.transient,
        rules.contradicted,
        rules.low_salience,
    }
)
"""Rules that object to a mark and to nothing else; most drafts bear none."""

CODES = {
    "artifact_unproven": "verified_action_unconfirmed",
    "recited": "echo_of_memory",
    "acted": "quoted",
    "code_or_data": "quoted",
    "all_in_quotes": "quoted",
    "supposed": "hypothetical",
    "in_jest": "hypothetical",
    "denied": "negated",
    "reported": "quoted",
    "for_this_once": "transient",
    "of_the_moment": "transient",
    "of_the_work_at_hand": "transient",
    "in_brackets": "boilerplate",
    "of_no_subject": "low_information",
    "only_thanks": "low_information",
    "only_comments": "low_information",
    "only_reacts_to": "low_information",
    "about_the_other": "low_information",
}


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
        detail = rule(draft, view)
        if detail is not None:
            name = rule.__name__
            return Rejected(CODES.get(name, name), name, detail)
    return None


@cache
def _rules_for(category: Category, marked: bool) -> tuple[Rule, ...]:
    others = tuple(head for head, kind in _OF_ONE_KIND.items() if kind is not category)
    done = category in PATH_CATEGORIES or category is Category.VERIFIED_ACTION
    unasked = (ABOUT_STATEMENTS if done else frozenset()) | (frozenset() if marked else ABOUT_MARKS)
    return tuple(rule for rule in RULES if not rule.__name__.startswith(others) and rule not in unasked)


def _over_capacity(position: int, view: AuditContext) -> Rejected | None:
    if position < view.max_drafts:
        return None
    return Rejected("over_capacity", "over_capacity", f"draft {position + 1} of one turn, at most {view.max_drafts}")
