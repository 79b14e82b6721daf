"""Texts as vectors, without a model server: the static embedder that ships with the package."""

from __future__ import annotations

from cfpm.embedding.embedder import Embedder
from cfpm.embedding.static import StaticEmbedder, static_embedder

__all__ = ["Embedder", "StaticEmbedder", "static_embedder"]
