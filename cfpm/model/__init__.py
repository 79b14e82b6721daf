"""The nouns of the memory, as frozen values of the standard library: what was said, what is believed, and why."""

from __future__ import annotations

from cfpm.model.enumerations import PATH_CATEGORIES, Action, Category, Decision, Mark, Origin, Role, Source, Status
from cfpm.model.facts import (
    LEARNT_RULE,
    OF_A_TASK,
    ORDERED_RULE,
    UNRATED,
    Accepted,
    Candidate,
    Draft,
    Event,
    Fact,
    FactChange,
    LoggedMessage,
    Merged,
    Rejected,
    Superseding,
    Verdict,
)
from cfpm.model.messages import Details, Message, Scope, Span, TokenUsage, ToolCall, ToolResult, Turn

__all__ = [
    "LEARNT_RULE",
    "OF_A_TASK",
    "ORDERED_RULE",
    "PATH_CATEGORIES",
    "UNRATED",
    "Accepted",
    "Action",
    "Candidate",
    "Category",
    "Decision",
    "Details",
    "Draft",
    "Event",
    "Fact",
    "FactChange",
    "LoggedMessage",
    "Mark",
    "Merged",
    "Message",
    "Origin",
    "Rejected",
    "Role",
    "Scope",
    "Source",
    "Span",
    "Status",
    "Superseding",
    "TokenUsage",
    "ToolCall",
    "ToolResult",
    "Turn",
    "Verdict",
]
