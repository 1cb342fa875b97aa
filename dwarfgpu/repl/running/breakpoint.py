"""A breakpoint, as `info breakpoints` lists it."""

from __future__ import annotations

from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.session.backtrace import FramePosition
from dwarfgpu.view.json_object import JsonObject


@frozen
class Breakpoint:
    """A location where the machine stops."""

    number: int
    addresses: tuple[int, ...]
    function: str
    """The function of the first address; `??` if unknown."""
    place: FramePosition | None
    typed: str
    """As it was typed."""
    is_temporary: bool = False
    condition: str = ""
    """It stops a wave only if this holds in one of its active lanes."""

    @property
    def where(self) -> str:
        """`nest at hip/nest.hip:14`."""
        place = self.place
        return self.function + ("" if place is None else f" at {place.file}:{place.line}")

    @property
    def record(self) -> JsonObject:
        """A breakpoint with the keys of GDB's machine interface."""
        place: JsonObject = {}
        if self.place is not None:
            place = {"file": self.place.file, "fullname": self.place.path, "line": self.place.line}
        return {
            "number": self.number,
            "type": "breakpoint",
            "disp": "del" if self.is_temporary else "keep",
            "enabled": "y",
            "func": None if self.function == "??" else self.function,
            **place,
            "original-location": self.typed,
            **({"cond": self.condition} if self.condition else {}),
            "at": self.where,
        }
