"""An expression that `display` shows, as `info display` lists it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.die import Die
from dwarfgpu.view.json_object import JsonObject

if TYPE_CHECKING:
    from dwarfgpu.service.machine.examine_format import Format


@frozen
class Display:
    """An expression that is shown."""

    number: int
    expression: str
    format: Format | None
    """None for a value without a format."""
    is_memory: bool
    """Whether it is shown as by `x`, not as by `print`."""
    block: Die | None
    """The innermost block or function of its variables: it is shown only there, and in functions
    that are inlined there, with the values of the frame of the block."""
    is_enabled: bool = True

    @property
    def listed(self) -> str:
        """`/x sum`, `/2wx $sp`: as `info display` has it."""
        if self.format is None:
            return self.expression
        size = ""
        if self.is_memory:
            size = f"{self.format.count}{self.format.size or 'b'}"
        return f"/{size}{self.format.letter} {self.expression}"

    @property
    def record(self) -> JsonObject:
        record: JsonObject = {"number": self.number, "expression": self.expression}
        hidden: JsonObject = {} if self.is_enabled else {"enabled": False}
        return {**record, "listed": self.listed, **hidden}
