"""What is left of a limit for the values of a list of variables: `--max-listed-characters`.

A file may give thousands of variables one large type at one address. The limit of one value, its
text's, then bounds none of the list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

from dwarfgpu.base.limits import Limits
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.type_sizes import nested_arrays, size_bits
from dwarfgpu.dwarf.types.types import Struct, Type, strip
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, counted, shortened
from dwarfgpu.session.object_contents import readable_bits
from dwarfgpu.view.json_object import JsonObject

_FREE_CHARACTERS: Final = 256
OF_A_WAVE: Final = 60
"""Characters that a value of one of several waves counts as, at least: evaluating it takes longer
than writing a short text."""
_OF_LANES: Final = 100
_OF_A_LANE: Final = 2
_OF_A_RECORD: Final = 8
"""Those that the values of a variable in the lanes of a wave count as in all, and for each lane in
text or in JSON."""
_BYTES_OF_A_CHARACTER: Final = 1_024
"""Reading an object is faster than making its text."""
_DIGITS_OF_A_CHARACTER: Final = 64
"""In JSON; so is writing the digits of its bytes."""
_CHARACTERS_OF_AN_ARRAY: Final = 20
"""In another array: its brace takes longer than another character."""
_CHARACTERS_OF_A_PART: Final = 2
"""Of a list, an object, a text or a number in the data of a value in JSON."""


class ListedValues:
    """What is left for the variables of one frame that are shown with their values, or of several.

    It is counted after each value: the one that exceeds the limit is whole.
    """

    unlisted: Sequence[Variable] = ()
    """The variables that are not shown any more."""

    def __init__(self, limits: Limits, *, is_of_one: bool = True, least: int = 0) -> None:
        """Count the values of one frame in one lane, or of several, as many as the user wants: then
        their first 256 characters are not counted, but each value as `least`."""
        self._free, self._least = 0 if is_of_one else _FREE_CHARACTERS, least
        self._limits = limits
        self._left = limits.listed_characters
        self._costs: dict[Type | None, int] = {}

    @property
    def has_ended(self) -> bool:
        """Whether nothing is left: no value is shown any more."""
        return self._left < 0

    def shown(self, variables: Sequence[Variable]) -> Iterator[Variable]:
        """Yield the variables, the value of each to be counted before the next one, until they
        exceed the limit."""
        self.unlisted = ()
        for index, variable in enumerate(variables):
            if self.has_ended:
                self.unlisted = variables[index:]
                return
            yield variable

    def count(self, variable: Variable, text: str) -> None:
        """Count a value that is shown: its characters, the members of its structure, the bytes
        that are read of it, 1,024 of them as one character, and the arrays in its array."""
        cost = len(text)
        with suppress(DwarfGpuError):  # the text of the value has the error
            cost += self._cost(variable.type)
        self._left -= max(self._least, cost - self._free)

    def count_text(self, text: str) -> None:
        """Count a text that is shown, whatever was read for it."""
        self._left -= max(0, len(text) - self._free)

    def count_record(self, record: JsonObject) -> None:
        """Count the data of a value in JSON, and the digits of its bytes."""
        digits = record.get("bytes")
        cost = len(digits) // _DIGITS_OF_A_CHARACTER if isinstance(digits, str) else 0
        parts = [record.get("data")]
        while parts:
            part = parts.pop()
            cost += _CHARACTERS_OF_A_PART
            if isinstance(part, list):
                parts += part
            elif isinstance(part, dict):
                parts += part.values()
        self._left -= max(self._least, cost - self._free)

    def count_lanes(self, count: int, *, are_records: bool) -> None:
        """Count that a variable is evaluated in lanes, besides their values."""
        self._left -= _OF_LANES + count * (_OF_A_RECORD if are_records else _OF_A_LANE)

    def end(self, *, is_of_all: bool = False) -> LimitExceeded:
        """Return why the list ends before the variables that are not shown. `is_of_all`: of a wave,
        because those of others are too many."""
        which = "those of this wave are" if is_of_all else "the last one is"
        if self.unlisted[1:] and not is_of_all:
            rest = counted(len(self.unlisted) - 1, "variable")
            which = f"{shortened(self.unlisted[0].name)} and {rest} after it are"
        return LimitExceeded(
            "the values of the frame's variables count as more than "
            f"{self._limits.listed_characters} characters: {which} not shown",
            "--max-listed-characters",
        )

    def _cost(self, type_: Type | None) -> int:
        """Return what an object of a type counts without its text."""
        if type_ not in self._costs:
            bare = strip(type_)
            size = readable_bits(bare, size_bits(bare) or 0, self._limits) // 8
            size_bytes = min(size, self._limits.read_bytes)
            members = len(bare.members) if isinstance(bare, Struct) else 0
            arrays = max(0, nested_arrays(bare) - 1)
            cost = members + size_bytes // _BYTES_OF_A_CHARACTER
            self._costs[type_] = cost + arrays * _CHARACTERS_OF_AN_ARRAY
        return self._costs[type_]
