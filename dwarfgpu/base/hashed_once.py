"""Tuples whose hash is calculated once: those of thousands of files are in keys of answers."""

from __future__ import annotations

from typing import TypeVar

Item = TypeVar("Item")


class HashedOnce(tuple[Item, ...]):
    """A tuple that keeps its hash, which that of an equal tuple is, too."""

    _hash: int | None = None

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = super().__hash__()
        return self._hash
