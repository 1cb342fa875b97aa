"""String tables (System V ABI, "String Table")."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.printable import LONGEST_NAME_BYTES, name_text
from dwarfgpu.errors import LimitExceeded

_LONG_NAME_BYTES: Final = 256


class StringTable:
    """Names by their offsets. Long ones are kept once, because many entries may share them."""

    def __init__(self, data: bytes, path: str) -> None:
        self.data = data
        self._path = path
        self._long: dict[int, str] = {}
        self._left_bytes = 2 * len(data) + LONGEST_NAME_BYTES

    def at(self, offset: int) -> str:
        """Return the string at an offset; empty if it is outside of the table or unterminated.

        Raises `LimitExceeded` if long ones overlap.
        """
        symbol = self._long.get(offset)
        if symbol is not None:
            return symbol
        end = self.data.find(b"\0", offset)
        if not 0 <= offset <= end:
            return ""
        if end - offset < _LONG_NAME_BYTES:
            return name_text(self.data[offset:end])
        self._left_bytes -= end - offset
        if self._left_bytes < 0:
            raise LimitExceeded(f"{self._path}: the names of a string table overlap")
        return self._long.setdefault(offset, name_text(self.data[offset:end]))
