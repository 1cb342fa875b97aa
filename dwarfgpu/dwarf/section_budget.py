"""Bound how much of a section is read: overlapping parts let a small file demand endless work.

Law: what producers write is read about once, whatever its size; the budgets grow with the file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeVar

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.base.printable import LONGEST_NAME_BYTES, name_text, printable
from dwarfgpu.dwarf.forms import WordReader
from dwarfgpu.errors import LimitExceeded, Malformed

if TYPE_CHECKING:
    from threading import local

    from dwarfgpu.expr.operation_budget import OperationBudget
else:
    from _thread import _local as local  # `threading` takes a millisecond

ALLOWANCE_BYTES: Final = 1 << 16
"""What may be read of any section, however small, beyond twice its size."""
MAX_EXPANSION: Final = 4
"""The factor of the file's size to which the size of compressed sections is limited."""
IMPORT: Final = 8
"""What an import of a unit counts in entries: each search for a name goes through all of them."""
LIST_OF_BLOCK: Final = 16
"""What the list of ranges of a block or an inlined call in a large scope counts in entries."""
_LINKED_NAME: Final = 12
"""Characters that a name of a linker counts, besides its own."""
_CHARACTER: Final = 2
"""What a character of one counts among the names that are searched."""
LONG_NAME_BYTES: Final = 256

_T = TypeVar("_T")


class SectionBudget(local):
    """How much of the sections of one file a thread has read.

    Each thread has counts of its own: what several ask at the same time, each of them reads.
    """

    def __init__(self, file_bytes: int, limits: FileLimits = DEFAULT_FILE_LIMITS) -> None:
        self._most_bytes = MAX_EXPANSION * file_bytes
        self.entries_left = limits.dies
        """How many entries (DIEs) may still be read."""
        self.imports_left = limits.dies // IMPORT
        """How many imports of units may still be followed; negative where more were to be."""
        self.lists_left = limits.dies // LIST_OF_BLOCK
        """How many lists of ranges of blocks may still be read to find one by address."""
        self._spent_bytes: dict[str, int] = {}
        self._long_names: dict[bytes, str] = {}

    def replace_spent(self, spent: dict[str, int]) -> dict[str, int]:
        """Go on with the bytes that were read of each section by another count, empty for a new
        one; return those of the count until now."""
        before, self._spent_bytes = self._spent_bytes, spent
        return before

    def read(
        self,
        section: str,
        data: bytes,
        offset: int,
        endian: Endian,
        read: Callable[[WordReader], _T],
    ) -> _T:
        """Return what a function reads from an offset of a section; `LimitExceeded` where it goes
        beyond the budget."""
        section_bytes, spent = len(data), self._spent_bytes
        end = offset + self._remaining(section, section_bytes)
        if end > section_bytes:  # nearly always
            end = section_bytes
        reader = WordReader(data, endian, offset, end if end > offset else offset)
        try:
            return read(reader)
        except Malformed:
            if reader.end < len(data):
                raise _exceeded(section) from None
            raise
        finally:
            spent[section] = spent.get(section, 0) + reader.position - offset

    def text(self, data: bytes) -> str:
        """Return a name as text. Long names are kept once, because many entries may share them."""
        if len(data) < LONG_NAME_BYTES:
            return printable(data)
        text = self._long_names.get(data)
        if text is None:
            self._spend("names", min(len(data), LONGEST_NAME_BYTES + 1))
            if self._remaining("names", self._most_bytes) < 0:
                raise LimitExceeded(
                    "names take far more bytes than the file has: entries share them"
                )
            text = self._long_names[data] = name_text(data)
        return text

    def spend(self, section: str, section_bytes: int, size_bytes: int) -> None:
        """Count bytes of a section that are read; `LimitExceeded` where the budget is used up."""
        if self._remaining(section, section_bytes) < size_bytes:
            raise _exceeded(section)
        self._spend(section, size_bytes)

    def _remaining(self, section: str, section_bytes: int) -> int:
        most = ALLOWANCE_BYTES + 2 * min(section_bytes, self._most_bytes)
        return most - self._spent_bytes.get(section, 0)

    def _spend(self, section: str, size_bytes: int) -> None:
        self._spent_bytes[section] = self._spent_bytes.get(section, 0) + size_bytes


class LinkedNames:
    """The names of linkers that were demangled for the names of types and variables of a program,
    each once: it takes far longer than to read the names that files have as they are shown. Each
    command of a conversation may read as many again."""

    def __init__(self) -> None:
        self._spent = 0
        self._command: OperationBudget | None = None
        self._known: dict[tuple[Callable[[str], str | None], str], str | None] = {}

    def read(self, read: Callable[[str], str | None], name: str, limits: FileLimits) -> str | None:
        """Return what a function reads in a name; `LimitExceeded` for too many names."""
        question = read, name
        if question in self._known:
            return self._known[question]
        from dwarfgpu.expr.operation_budget import OPERATION_BUDGET  # few files have such names

        command = OPERATION_BUDGET.get()
        if command is not self._command:
            self._spent, self._command = 0, command
        most = limits.searched_names // _CHARACTER
        self._spent += _LINKED_NAME + len(name)
        if self._spent > most:
            raise LimitExceeded(
                f"the linkage names of types and of instances of variable templates have more than "
                f"{most} characters: no more are read",
                "--max-searched-names",
            )
        return self._known.setdefault(question, read(name))


def _exceeded(section: str) -> LimitExceeded:
    return LimitExceeded(f"reading {section} takes far more bytes than it has: its parts overlap")
