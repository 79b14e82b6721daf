"""What the server is asked and what it answers, as types: they check requests and become the OpenAPI document."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Agent = Annotated[str, Field(max_length=200, description="Who asks; kept as provenance of what is learnt.")]


class LoadRequest(BaseModel):
    """Asks for the block for a prompt. The simple form has the agent only."""

    model_config = ConfigDict(strict=True)

    agent: Agent
    query: str = Field(default="", max_length=100_000, description="What the block is to be about.")
    max_tokens: int = Field(default=1200, ge=1, le=100_000, description="Estimated tokens that the block may have.")

    @property
    def is_simple(self) -> bool:
        """True for the form without any of our fields."""
        return self.model_fields_set <= {"agent"}


class LoadReply(BaseModel):
    """The block, empty when there is nothing to say. `tokens` is missing in the reply to the simple form."""

    block: str
    tokens: int | None = None


class HistoryMessage(BaseModel):
    """A message in OpenAI or Anthropic style; more fields than these are understood."""

    model_config = ConfigDict(extra="allow")

    role: str = Field(description="system, user, assistant or tool.")
    content: str | list[Any] | None = Field(default=None, description="The text, or a list of blocks.")
    id: str | int | None = Field(default=None, description="The host's id; else one is derived from the content.")
    created_at: str | float | None = Field(
        default=None, description="ISO 8601 or epoch seconds; else the moment of arrival."
    )
    name: str | None = Field(default=None, description="Who speaks, if several people do.")
    origin: str | None = Field(default=None, description="What kind of text it is, if it is not speech.")
    tool_calls: list[Any] | None = None
    tool_call_id: str | None = None
    is_error: bool | None = None
    exit_code: int | None = None


class SaveRequest(BaseModel):
    """Messages to take in: all of a session or the new ones. The simple form has no session."""

    model_config = ConfigDict(strict=True)

    agent: Agent
    session: str = Field(default="", max_length=500, description="Default: one session for each agent.")
    history: list[HistoryMessage] = Field(max_length=100_000)
    erase: list[str] = Field(
        default=[],
        max_length=100_000,
        description=(
            "Messages that are to be erased with all that was learnt from them, each by the first 20 hex digits of the"
            " SHA-256 of its session, U+001F and its id."
        ),
    )


class SaveReply(BaseModel):
    """What was taken in. Messages that were known already are not counted."""

    messages: int
    accepted: int
    merged: int
    superseded: int
    rejected: int


class ErrorReply(BaseModel):
    """What was wrong, and what to do."""

    error: str
