"""Bombs of files with holes: as long as they say, and of few bytes on a disk or in a package."""

from __future__ import annotations

from typing import Final

from tests.dwarf.builder import X86_64, elf
from tools.bombs.elf import TEXT, word
from tools.bombs.model import Bomb, Files, Hollow

FILES: Final = ("info bomb", "check bomb", "where --all bomb")


def linked_hole(size_bytes: int) -> Files:
    """A debug file whose checksum takes a reading of all of it."""
    link = b"bomb.debug\0\0" + word(0x12345678)
    stripped = elf({**TEXT, ".gnu_debuglink": link}, X86_64)
    return {"bomb": stripped, "bomb.debug": Hollow(elf(TEXT, X86_64), size_bytes)}


BOMBS: Final = (
    Bomb("debug-link-hole", ".gnu_debuglink", "a debug file of {} bytes, most of them a hole",
         linked_hole, 1 << 40, FILES, says="LimitExceeded"),
)  # fmt: skip
