"""The vector provider: a memory in SQLite with a Chroma beside it, in a folder or at a server."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.util import find_spec
from time import monotonic
from typing import TYPE_CHECKING

from cfpm.embedding import Embedder
from cfpm.errors import MissingExtraError
from cfpm_adapters.local import LocalProvider
from cfpm_adapters.vector.client import Place
from cfpm_adapters.vector.errors import VectorError, rebuild_with
from cfpm_adapters.vector.index import VectorIndex, embedder_of
from cfpm_adapters.vector.rebuild import made_anew, rebuilt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cfpm.memory import Memory
    from cfpm.model.erasures import ErasureRecord
    from cfpm.recall import Neighbour
    from cfpm_adapters.provider import History

SYNC_SECONDS = 1.0
"""Seconds of a turn for bringing Chroma up to date; the rest waits for the next turn, or for `rebuild`."""

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds without another try after a failure, doubled each time: a server that hangs must not slow every turn."""


@dataclass(slots=True)
class VectorProvider(LocalProvider):
    """As LocalProvider, with neighbours in meaning from Chroma as further candidates. SQLite stays the truth.

    `chroma` is a folder, which this process alone may have open, or the address of a server. `embedder` is one, or the
    name of one (`static`, `onnx`); default is the memory's own. `timeout` (seconds) and `headers` are for a server.
    What fails at Chroma is counted, and the turn goes on with SQLite alone. Raises MissingExtraError, UsageError.
    """

    chroma: str = field(kw_only=True)
    embedder: Embedder | str | None = field(default=None, kw_only=True)
    timeout: float = field(default=5.0, kw_only=True)
    headers: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    _index: VectorIndex | None = field(default=None, init=False)
    _pause: float = field(default=0.0, init=False)
    _paused_until: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        """Raises what no turn could mend: a missing extra, an address that is none."""
        Place(self.chroma)
        if find_spec("chromadb") is None:
            raise MissingExtraError("The vector provider", "vector")

    def load(self, agent: str, query: str = "", *, max_tokens: int = 1200) -> str | None:
        """The recalled block, ranked with Chroma's neighbours as long as Chroma answers."""
        try:
            memory = self._memory(agent)
            near = self._neighbours(memory, query)
            return memory.recall(query, max_tokens=max_tokens, neighbours=near).block or None
        except Exception as error:  # noqa: BLE001 (a provider boundary: counted, and the turn goes on)
            self._failed("load", error)
            return None

    def save(self, agent: str, history: History, *, session: str = "default") -> None:
        """Observes the messages; then Chroma follows what the store now holds."""
        LocalProvider.save(self, agent, history, session=session)
        try:
            if not self._is_paused():
                self._open_index(self._memory(agent)).follow(SYNC_SECONDS)
                self._pause = 0.0
        except Exception as error:  # noqa: BLE001 (a provider boundary: counted, and the turn goes on)
            self._chroma_failed("save", error)

    def rebuild(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Brings Chroma into step with the store, from nothing if need be, and returns how many vectors it then has.

        What is sound is kept, so that a rebuild that was stopped goes on. `progress` gets what is done and what there
        is to do. Raises VectorError when that is not possible.
        """
        self._close_index()
        self._pause = self._paused_until = 0.0
        memory = self._memory("")
        return rebuilt(memory, self._place(), embedder_of(memory, self.embedder), progress)

    def erase(self, *ids: str, session: str | None = None, everything: bool = False) -> ErasureRecord:
        """As `Memory.erase`, and Chroma is made anew without it. Raises what `erase` and `rebuild` raise."""
        self._close_index()
        memory = self._memory("")
        record = memory.erase(*ids, session=session, everything=everything)
        made_anew(memory, self._place(), embedder_of(memory, self.embedder))
        return record

    def close(self) -> None:
        """Closes Chroma and the store."""
        self._close_index()
        LocalProvider.close(self)

    def _neighbours(self, memory: Memory, query: str) -> list[Neighbour]:
        if not query.strip() or self._is_paused():
            return []
        try:
            found = self._open_index(memory).neighbours(query)
        except Exception as error:  # noqa: BLE001 (a provider boundary: counted, and the turn goes on)
            self._chroma_failed("load", error)
            return []
        self._pause = 0.0
        return found

    def _open_index(self, memory: Memory) -> VectorIndex:
        """The open index; opened, brought up to date and tried first if it is not. Raises VectorError for a bad one."""
        if self._index is not None and self._index.collection.usable:
            return self._index
        self._close_index()
        index = VectorIndex.open(memory, self._place(), embedder_of(memory, self.embedder))
        try:
            index.drop_erased()
            if index.follows_this_store():
                index.follow(SYNC_SECONDS)
            if problem := index.prove().problem:
                raise VectorError(self.chroma, problem, rebuild_with(self.chroma))
            index.collection.note_readable()
        except BaseException:
            # Also when interrupted or cancelled: the lock of an owner must not stay behind. Raised again as it came.
            index.close()
            raise
        self._index = index
        return index

    def _place(self) -> Place:
        return Place(self.chroma, self.timeout, self.headers)

    def _is_paused(self) -> bool:
        return monotonic() < self._paused_until

    def _chroma_failed(self, verb: str, error: Exception) -> None:
        self._failed(verb, error)
        self._pause = min(LONGEST_PAUSE, 2 * self._pause or FIRST_PAUSE)
        self._paused_until = monotonic() + self._pause
        self._close_index()

    def _close_index(self) -> None:
        index, self._index = self._index, None
        if index is not None:
            try:
                index.close()
            except VectorError as error:
                self._failed("close", error)
