"""Input tokens of each agent since the last compaction, as its provider reported them: when to warn, when to compact.
Estimates nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cfpm.settings import Settings


@dataclass(frozen=True, slots=True)
class AgentTokens:
    """What one agent was sent since the last compaction. `agent` is case-folded."""

    agent: str
    tokens: int
    warned: bool = False


@dataclass(frozen=True, slots=True)
class BudgetWarning:
    """An agent has been sent as many tokens since the last compaction as the host wants to be told of."""

    agent: str
    """As the host wrote it in the turn that crossed the line."""
    tokens: int
    warn_at: int
    cut_over_at: int


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of all agents since the last compaction, in the order in which they first spoke."""

    agents: tuple[AgentTokens, ...] = ()

    def tokens_of(self, agent: str) -> int:
        """What this agent was sent; 0 for one that is not known."""
        return self._row(agent).tokens

    def after(self, agent: str, input_tokens: int | None, settings: Settings) -> tuple[Usage, BudgetWarning | None]:
        """With one more turn, and the warning if this turn calls for one: once per agent until the next compaction.

        A turn without usage changes nothing.
        """
        if not input_tokens or input_tokens < 0:
            return self, None
        row = self._row(agent)
        tokens = row.tokens + input_tokens
        due = not row.warned and 0 < settings.budget_warn_at <= tokens
        new = replace(row, tokens=tokens, warned=row.warned or due)
        known = any(old.agent == new.agent for old in self.agents)
        rows = tuple(new if old.agent == new.agent else old for old in self.agents) if known else (*self.agents, new)
        warning = BudgetWarning(agent, tokens, settings.budget_warn_at, settings.budget_cut_over_at) if due else None
        return Usage(rows), warning

    def over(self, agent: str, settings: Settings) -> bool:
        """True when the agent has used up what it may between two compactions."""
        return 0 < settings.budget_cut_over_at <= self.tokens_of(agent)

    def _row(self, agent: str) -> AgentTokens:
        name = agent.casefold()
        return next((row for row in self.agents if row.agent == name), AgentTokens(name, 0))
