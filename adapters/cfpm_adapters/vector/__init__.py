"""The vector provider: what is near in meaning, found by Chroma beside the SQLite file, which stays the truth."""

from __future__ import annotations

from cfpm_adapters.vector.errors import VectorError
from cfpm_adapters.vector.provider import VectorProvider

__all__ = ["VectorError", "VectorProvider"]
