"""One finding of this benchmark, and how the table is written."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Finding:
    """`wanted` pieces were to be saved, `saved` are there, `refused` were answered by an error; `torn` names what is
    half there, empty for nothing."""

    part: str
    name: str
    wanted: int
    saved: int
    refused: int = 0
    torn: str = ""
    seconds: float = 0.0
    note: str = ""

    @property
    def kept(self) -> bool:
        """Whether each piece is there or was refused, and nothing is torn."""
        return self.saved + self.refused >= self.wanted and not self.torn

    def document(self) -> dict[str, Any]:
        """The finding as JSON."""
        return {**asdict(self), "kept": self.kept}


def table(found: Sequence[Finding]) -> str:
    """The findings as fixed-width text."""
    cells = [("part", "of", "wanted", "saved", "refused", "seconds", "", "how")]
    cells += [
        (
            one.part,
            one.name,
            f"{one.wanted:,}",
            f"{one.saved:,}",
            f"{one.refused:,}",
            f"{one.seconds:.1f}",
            "kept" if one.kept else f"LOST {one.torn}".strip(),
            one.note,
        )
        for one in found
    ]
    widths = [max(len(cell[n]) for cell in cells) for n in range(7)]
    lines = [
        "  ".join([*(text.ljust(width) for text, width in zip(cell, widths, strict=False)), cell[7]]) for cell in cells
    ]
    return "\n".join(line.rstrip() for line in lines)
