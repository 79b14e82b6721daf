"""Texts as vectors, without a model server: the static embedder that ships with the package, and the extra ones."""

from __future__ import annotations

from cfpm.embedding.embedder import Embedder
from cfpm.embedding.static import StaticEmbedder, sentence_embedder, static_embedder

__all__ = ["Embedder", "StaticEmbedder", "named_embedder", "sentence_embedder", "static_embedder"]


def named_embedder(name: str) -> Embedder:
    """The embedder that a setting names: `static` or `onnx`. Raises MissingExtraError for one that is not installed."""
    if name == "onnx":
        from cfpm.embedding.onnx import onnx_embedder

        return onnx_embedder()
    if name == "static":
        return static_embedder()
    raise ValueError(f"no embedder is called {name!r}")
