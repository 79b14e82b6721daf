"""All transcript formats by name, the most particular first: a file is of the first format that recognises it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from cfpm.transcript.formats import (
    agent_log,
    aider,
    anthropic,
    antigravity,
    chat,
    chatgpt,
    claude_ai,
    claude_code,
    cline,
    codex,
    cursor,
    gemini,
    intercode,
    openai,
    opencode,
    openhands,
    pi,
    rows,
    specstory,
    swe_agent,
    tau_bench,
)
from cfpm.transcript.formats.format import Format

_IN_ORDER = (
    specstory,
    aider,
    codex,
    gemini,
    claude_code,
    pi,
    antigravity,
    cursor,
    rows,
    swe_agent,
    tau_bench,
    intercode,
    agent_log,
    chatgpt,
    claude_ai,
    opencode,
    cline,
    openhands,
    anthropic,
    openai,
    chat,
)

FORMATS: Mapping[str, Format] = MappingProxyType({module.FORMAT.name: module.FORMAT for module in _IN_ORDER})
