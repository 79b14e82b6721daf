"""All transcript formats by name, the most particular first: a file is of the first format that recognises it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from cfpm.transcript.formats import (
    agent_log,
    anthropic,
    chat,
    claude_code,
    intercode,
    openai,
    openhands,
    rows,
    specstory,
    swe_agent,
    tau_bench,
)
from cfpm.transcript.formats.format import Format

_IN_ORDER = (
    specstory,
    claude_code,
    rows,
    swe_agent,
    tau_bench,
    intercode,
    agent_log,
    openhands,
    anthropic,
    openai,
    chat,
)

FORMATS: Mapping[str, Format] = MappingProxyType({module.FORMAT.name: module.FORMAT for module in _IN_ORDER})
