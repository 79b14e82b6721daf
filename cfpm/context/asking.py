"""How a user asks for a compaction, and what a user is told when one is needed. Decides nothing."""

from __future__ import annotations

from dataclasses import dataclass

_PHRASES = frozenset({"Please compact this conversation", "/compact", "/summarize"})
"""The reference's phrases, section 5.1."""
_WITH_FOCUS = "/compact"


@dataclass(frozen=True, slots=True)
class Asked:
    """A user asked for a compaction; `focus` is what it should keep in view, or empty."""

    focus: str = ""


def asked(text: str) -> Asked | None:
    """What a user's message asks for: one of three phrases, or `/compact` with a focus behind it, and nothing else."""
    said = text.strip()
    if said in _PHRASES:
        return Asked()
    command, *behind = said.split(maxsplit=1) or [""]
    return Asked(behind[0]) if command == _WITH_FOCUS and behind else None


def prelude(limit: int, attempt: int, attempts: int) -> tuple[str, str]:
    """What a user sees before an attempt after a context-length error: what happened, and what is done about it."""
    return (
        f"The conversation no longer fits into the model's window of {limit:,} tokens.",
        f"Compacting it, attempt {attempt} of {attempts} ...",
    )


def final_message(limit: int, tried: int, attempts: int, problem: str) -> str:
    """The last message of a reply that no compaction could save, in English and Chinese."""
    because = f" ({problem})" if problem else ""
    return (
        f"The conversation does not fit into the model's window of {limit:,} tokens, and after {tried} of at most "
        f"{attempts} compactions it still does not{because}. Please start a new session.\n"
        f"对话超出了模型 {limit:,} 个 token 的上下文上限，压缩 {tried} 次（最多 {attempts} 次）后仍然超出。"
        "请开启新会话。"
    )
