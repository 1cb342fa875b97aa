"""Lines of a text of any size, read where they are.

A line ends with LF, CR LF, or CR alone, as compilers of C count them.

Laws: whatever the size of the text, memory is needed for a block of it and a number for each block;
a file that changes is read from its beginning again.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, Protocol, overload

from dwarfgpu.base.readable_files import more_than, open_to_read
from dwarfgpu.errors import LimitExceeded, UsageError

if TYPE_CHECKING:
    from pathlib import Path

BLOCK_BYTES: Final = 1 << 14
MAX_BYTES: Final = 1 << 28
"""Maximum size of a file: counting its lines takes less than a second."""
MAX_LINE_BYTES: Final = 1 << 16
"""Longer lines are cut."""
_CUT: Final = " ..."
_MAX_SHOWN: Final = 100
"""Lines that are kept as text."""
_LONG_LINE_BYTES: Final = 1 << 10
_SHOWN_AS: Final = 128
"""Bytes that are gone through in the time in which one of a long line is shown."""


class _Text(Protocol):
    """Bytes that may change."""

    def version(self) -> object:
        """Return what is different after a change."""
        ...

    def blocks(self, first: int) -> Iterator[bytes]:
        """Yield the blocks from one on; all but the last have `BLOCK_BYTES`."""
        ...


class _Bytes:
    def __init__(self, data: bytes) -> None:
        self._data = data

    def version(self) -> object:
        return len(self._data)

    def blocks(self, first: int) -> Iterator[bytes]:
        for offset in range(first * BLOCK_BYTES, len(self._data), BLOCK_BYTES):
            yield self._data[offset : offset + BLOCK_BYTES]


class _File:
    """Raises `UsageError` for a file that cannot be read, or is too large."""

    def __init__(self, path: str | Path) -> None:
        self._path = path

    def version(self) -> object:
        try:
            status = os.stat(self._path)
        except OSError as cause:
            raise UsageError(f"{self._path}: {cause.strerror or cause}") from None
        if status.st_size > MAX_BYTES:
            raise more_than(self._path, MAX_BYTES)
        return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns

    def blocks(self, first: int) -> Iterator[bytes]:
        try:
            with open_to_read(self._path) as file:
                file.seek(first * BLOCK_BYTES)
                for _ in range(first, MAX_BYTES // BLOCK_BYTES):  # it may grow
                    data = file.read(BLOCK_BYTES)
                    yield data
                    if len(data) < BLOCK_BYTES:
                        return
        except OSError as cause:
            raise UsageError(f"{self._path}: {cause.strerror or cause}") from None


class TextBudget:
    """What is left of the bytes of text that one command goes through to find lines; a byte of a
    long line that is shown counts as 128."""

    __slots__ = ("error", "left", "most")

    def __init__(self, most_bytes: int) -> None:
        self.most = self.left = most_bytes
        self.error: LimitExceeded | None = None
        """The last one; None if there was none."""

    def spend(self, size_bytes: int) -> None:
        """Count bytes; `LimitExceeded` if fewer are left."""
        if size_bytes > self.left:
            self.error = LimitExceeded(
                f"more than {self.most} bytes of source text to go through", "--max-source-bytes"
            )
            raise self.error
        self.left -= size_bytes


class TextLines(Sequence[str]):
    """The lines of a text, without their ends; bytes that are not UTF-8 are escaped."""

    def __init__(self, text: _Text, budget: TextBudget | None = None) -> None:
        self._text = text
        self._budget = budget
        self._version: object = None
        self._checked: object = None
        """The version, where it was looked at for what comes next."""
        self._ends = [0]
        """How many lines end before each block."""
        self._has_final_end = True
        self._is_whole = False
        self._before_cr: set[int] = set()
        """The blocks that a CR ends: the line ends in the next one, which may begin with an LF."""
        self._block: tuple[int, list[bytes]] = (-1, [])
        self._shown: tuple[range, Sequence[str]] = (range(0), ())
        """The lines that were shown last."""

    @classmethod
    def of_bytes(cls, data: bytes, budget: TextBudget | None = None) -> TextLines:
        return cls(_Bytes(data), budget)

    @classmethod
    def of_file(cls, path: str | Path, budget: TextBudget | None = None) -> TextLines:
        """Return the lines of a file. It is opened when they are read; that raises `UsageError`, or
        `LimitExceeded` of the budget."""
        return cls(_File(path), budget)

    def require_readable(self) -> None:
        """Raise `UsageError` if the text cannot be read."""
        self._scan(0)

    def is_unchanged(self) -> bool:
        """Return whether the text is as it was read; what is asked next does not look again."""
        try:
            self._checked = self._text.version()
        except UsageError:
            return False
        return self._checked == self._version

    def forget_block(self) -> None:
        """Free the lines that were read last; where lines are is kept, which takes little."""
        self._block = -1, []
        self._shown = range(0), ()

    def __len__(self) -> int:
        self._scan(None)
        return self._ends[-1] + (not self._has_final_end)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return list(self.counted(range(*index.indices(len(self)))))
        if index < 0 or not self._scan(index):
            raise IndexError(index)
        return self._line(index)

    def counted(self, indices: range) -> Sequence[str]:
        """Return some of the lines that `len` has just counted: it is not asked again whether the
        text has changed."""
        if len(indices) > _MAX_SHOWN:
            return tuple(map(self._line, indices))
        shown = self._shown
        if shown[0] != indices:
            shown = self._shown = indices, tuple(map(self._line, indices))
        return shown[1]

    def _line(self, index: int) -> str:
        """Return a line that the text has."""
        line = b"".join(self._pieces(index))
        if self._budget is not None and len(line) > _LONG_LINE_BYTES:
            self._budget.spend(_SHOWN_AS * min(len(line), MAX_LINE_BYTES))
        is_long = len(line) > MAX_LINE_BYTES
        text = line[:MAX_LINE_BYTES].decode("utf-8", "backslashreplace")
        return text + _CUT if is_long else text

    def _pieces(self, index: int) -> Iterator[bytes]:
        """Yield a line, as far as it is shown, by blocks."""
        block = max(bisect_left(self._ends, index) - 1, 0)
        pieces = self._lines_of_block(block)
        position = index - self._ends[block]
        size_bytes = 0
        while position < len(pieces):
            yield pieces[position]
            size_bytes += len(pieces[position])
            if position < len(pieces) - 1 or size_bytes > MAX_LINE_BYTES:
                return
            block, position = block + 1, 0
            pieces = self._lines_of_block(block) if block < len(self._ends) - 1 else []

    def _lines_of_block(self, number: int) -> list[bytes]:
        block = self._block
        if block[0] != number:
            data = next(self._text.blocks(number), b"")
            block = self._block = number, self._with_lf(number, data).split(b"\n")
        return block[1]

    def _with_lf(self, number: int, data: bytes) -> bytes:
        """Return a block with an LF for each end of a line."""
        is_after_cr = number - 1 in self._before_cr
        if b"\r" not in data and not is_after_cr:
            return data
        if data.endswith(b"\r"):
            self._before_cr.add(number)
        lines = data.removesuffix(b"\r").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return b"\n" + lines if is_after_cr and data and not data.startswith(b"\n") else lines

    def _scan(self, index: int | None) -> bool:
        """Count lines up to that of an index, or all; return whether the text has that line."""
        version = self._text.version() if self._checked is None else self._checked
        self._checked = None
        if version != self._version:
            self._forget()
            self._version = version
        if not self._is_whole and (index is None or self._ends[-1] <= index):
            first = len(self._ends) - 1
            for number, data in enumerate(self._text.blocks(first), first):
                if self._budget is not None:
                    self._budget.spend(len(data))
                self._ends.append(self._ends[-1] + self._with_lf(number, data).count(b"\n"))
                self._has_final_end = data.endswith(b"\n") if data else self._has_final_end
                if index is not None and self._ends[-1] > index:
                    break
            else:
                self._is_whole = True
        count = self._ends[-1] + (not self._has_final_end)
        return index is not None and index < count

    def _forget(self) -> None:
        self._ends = [0]
        self._has_final_end, self._is_whole = True, False
        self._before_cr.clear()
        self.forget_block()
