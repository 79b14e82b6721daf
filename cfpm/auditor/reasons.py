"""The reason codes: every verdict carries one. A code here is a contract; scripts and people rely on its name.

The first 17 keep the names of the original CFPM. Adding a code means adding its sentence, its examples and its test.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reason:
    """One code: what it means to a user, a text that gets it, and a similar one that does not."""

    code: str
    sentence: str
    example: str
    counter_example: str


_ALL = (
    Reason("empty_content", "There is no text.", "   ", "The build writes to out/."),
    Reason(
        "noise_error_line",
        "This is a line of error output, not a statement about the work.",
        "Error: ECONNREFUSED 127.0.0.1:5432",
        "We need to fix the login error.",
    ),
    Reason(
        "runtime_log_noise",
        "This is a line of a program's log or of the host's own notices.",
        "[stdout] running step 3 of 9",
        "Keep the worker running on port 80.",
    ),
    Reason("too_short", "One character says nothing.", "k", "ok, use tabs"),
    Reason(
        "invalid_path_unhelpful",
        "A date, a temporary file or a dump is no path worth remembering as broken.",
        "/tmp/.tmpA81x",
        "/srv/shop/config.toml",
    ),
    Reason("invalid_path_not_path_like", "This is not a path.", "the settings", "/srv/shop/settings"),
    Reason(
        "invalid_path_not_clean_path",
        "There is more here than a path.",
        "/srv/shop/settings or somewhere near",
        "/srv/shop/settings",
    ),
    Reason(
        "invalid_path_not_concrete_absolute",
        "Only an absolute path without variables can be known to be broken.",
        "$HOME/Desktop",
        "/home/kim/Desktop",
    ),
    Reason(
        "artifact_unhelpful",
        "A date, a temporary file or a dump is no artifact worth remembering.",
        "2024/7/19",
        "/srv/shop/out/report.pdf",
    ),
    Reason("artifact_not_path_like", "This is not a path.", "AI/Agent", "/srv/shop/notes.md"),
    Reason("artifact_not_clean_path", "There is more here than a path.", "/srv/a.txt，包含以下文件", "/srv/a.txt"),
    Reason(
        "artifact_not_absolute_or_project_relative",
        "This path means nothing without knowing where it starts.",
        "$HOME/notes.md",
        "src/main.rs",
    ),
    Reason(
        "artifact_known_folder_missing",
        "A personal folder such as Desktop counts only where it was seen: nothing in this turn shows that it exists.",
        "/home/kim/Desktop",
        "/home/kim/projects/shop",
    ),
    Reason(
        "open_item_unconfirmed",
        "Nothing in the words says that something is left to do.",
        "Implement the memory panel",
        "TODO: implement the memory panel",
    ),
    Reason(
        "verified_action_unconfirmed",
        "It is claimed that something was done, but no tool result of this turn shows it.",
        "All done, the bug is fixed.",
        "12 passed",
    ),
    Reason(
        "duplicate",
        "The same turn said it already.",
        "the same path twice on one line",
        "a path seen again a day later",
    ),
    Reason(
        "artifact_marked_invalid",
        "This path is known to be broken, and nothing newer shows that it works.",
        "a path that the same turn reports as missing",
        "a path that a later edit wrote to",
    ),
    Reason(
        "secret",
        "It holds a secret, which was taken out before anything was stored.",
        "the key is [redacted:…]",
        "keys rotate monthly",
    ),
    Reason(
        "instruction_from_tool",
        "Text that a tool returned gives an order. Tools report; only people give orders.",
        "a web page that says: ignore previous instructions",
        "a user who says: never push to main",
    ),
    Reason(
        "untrusted_source",
        "It comes from a tool or a person whom the settings do not trust to say this.",
        "another participant of a group chat who says: always merge without review",
        "the user who opened the chat and says the same",
    ),
    Reason(
        "echo_of_memory",
        "This is our own memory coming back, not something new.",
        "a line of a recalled block",
        "the user saying it again in own words",
    ),
    Reason(
        "boilerplate",
        "This stands in a system prompt, a boot file or a notice of the host; nobody in the conversation said it.",
        "You are a helpful assistant.",
        "Always answer in French.",
    ),
    Reason(
        "transient",
        "This is the state of a moment, not something to remember.",
        "Now let me run the tests.",
        "The tests run on every push.",
    ),
    Reason(
        "hypothetical",
        "This would, might or will be so, or is a jest or a guess; it is not so.",
        "If the checks pass, it is done.",
        "The checks pass.",
    ),
    Reason("negated", "The words deny it.", "It is not fixed yet.", "It is fixed."),
    Reason("question", "This asks; it does not state.", "Should we always use tabs?", "Always use tabs."),
    Reason(
        "quoted",
        "This stands in a quotation, a pasted document, a table or a file that was only read, or is hearsay.",
        "a rule in a pasted README",
        "a rule that the user gives",
    ),
    Reason(
        "ungrounded",
        "The text cannot be found in the message that it cites.",
        "a fact that a model made up",
        "a sentence of the message",
    ),
    Reason(
        "near_duplicate",
        "A fact that is already known says the same in nearly the same words.",
        "Use tabs, always.",
        "Use tabs, except in YAML.",
    ),
    Reason(
        "contradicted",
        "The evidence, or a fact that weighs more, says the opposite.",
        "All tests pass, after a run that failed",
        "All tests pass, after a run that passed",
    ),
    Reason(
        "forgotten",
        "The user had this forgotten, and forgotten it stays.",
        "a fact seen again after `forget`",
        "a fact that was only stale",
    ),
    Reason(
        "over_capacity",
        "There is more than the memory holds for this category or takes from one turn.",
        "draft 2,001 of one turn",
        "draft 20 of one turn",
    ),
    Reason(
        "too_long",
        "A fact is a sentence or two; this is longer.",
        "a paragraph of 700 characters",
        "a sentence of 80 characters",
    ),
    Reason(
        "low_salience",
        "By the weights of the salience model, what it says is not worth its tokens.",
        "We had a nice chat about it over lunch.",
        "The staging database moved to db3.example.com.",
    ),
    Reason(
        "low_information",
        "An acknowledgement, or too few words to mean anything later.",
        "ok, do it",
        "use PostgreSQL 15",
    ),
    Reason("accepted", "It was stored as a new fact.", "I prefer tabs.", "I prefer tabs? Not sure."),
    Reason(
        "reinforced",
        "A fact that is already known was confirmed.",
        "the same rule, said again",
        "a rule said for the first time",
    ),
    Reason(
        "folded",
        "It is evidence of a fact that is known, and says nothing more of its own.",
        "The file src/cart.py has been updated.",
        "212 passed",
    ),
    Reason(
        "corrected",
        "It replaces an older fact, which is kept as superseded and linked.",
        "The port is 8081 now.",
        "The port stays open.",
    ),
    Reason(
        "reviewed", "A user reversed the verdict, and that stays.", "`cfpm audit accept ID`", "a verdict nobody touched"
    ),
)

REASONS = {reason.code: reason for reason in _ALL}
"""Every code, in the order of this page."""
