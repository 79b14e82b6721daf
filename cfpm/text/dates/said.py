"""When something was said and in which words around a time expression: what its tense is read from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from cfpm.text.dates.lexicon import TimeLexicon


@dataclass(frozen=True, slots=True)
class Said:
    """When something was said, in UTC, and the sentence in lower case, whose tense is only looked for where it
    decides."""

    anchor: datetime
    sentence: str
    lexicon: TimeLexicon
    back: bool = False
    """True where the words leave no choice: "since Friday"."""

    @property
    def future(self) -> bool:
        """Whether the sentence has words about the future."""
        return self.lexicon.future.search(self.sentence) is not None

    @property
    def past(self) -> bool:
        """Whether it has past-tense words, and none about the future."""
        return self.back or (self.lexicon.past.search(self.sentence) is not None and not self.future)

    @property
    def perfect(self) -> bool:
        """Whether it says that something still holds."""
        return self.lexicon.perfect.search(self.sentence) is not None
