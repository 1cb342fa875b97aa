"""A breakpoint, watchpoint or catchpoint, as `info breakpoints` lists it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from dwarfgpu.base.light_attrs import define
from dwarfgpu.machine.target import WaveId
from dwarfgpu.session.stack_frames import FramePosition
from dwarfgpu.view.json_object import JsonObject

Disposition: TypeAlias = Literal["keep", "del", "dis"]
"""What becomes of it when it stops the program: GDB's words."""


@define(eq=False)
class Breakpoint:
    """A location where the machine stops."""

    number: int
    typed: str
    """The location or the expression, as it was typed."""
    addresses: tuple[int, ...] = ()
    function: str = "??"
    """The function of the first address."""
    place: FramePosition | None = None
    disposition: Disposition = "keep"
    condition: str = ""
    """It stops a wave only if this holds in one of its active lanes."""
    wave: WaveId | None = None
    """The only wave that it stops; None for all."""
    lane: int | None = None
    """The only lane for which it stops, when that is active; None for all."""
    is_enabled: bool = True
    stops_left: int = 0
    """After which it is disabled, where the disposition is `dis`."""
    hits: int = 0
    ignored: int = 0
    """How many times more it does not stop the program."""
    commands: tuple[str, ...] = ()
    """What is run when it has stopped the program."""
    is_hardware: bool = False
    """Set by `hbreak`: on a simulated machine it is like others."""

    @property
    def is_temporary(self) -> bool:
        return self.disposition == "del"

    @property
    def type(self) -> str:
        """The column `Type`."""
        return "hw breakpoint" if self.is_hardware else "breakpoint"

    @property
    def kind(self) -> str:
        """In the report of a stop, before the number: `Temporary breakpoint`."""
        return "Temporary breakpoint" if self.is_temporary else "Breakpoint"

    @property
    def inserted(self) -> tuple[int, ...]:
        """Where it stops the machine now."""
        return self.addresses if self.is_enabled else ()

    @property
    def where(self) -> str:
        """`nest at hip/nest.hip:14`."""
        place = self.place
        return self.function + ("" if place is None else f" at {place.file}:{place.line}")

    def rows(self) -> Iterator[tuple[str, JsonObject]]:
        """The lines of `info breakpoints` for it, without what belongs to all kinds."""
        for address in self.addresses:
            yield f"{address:#018x} in {self.where}", {"addr": f"{address:#x}"}

    def details(self) -> Iterator[str]:
        """The indented lines below."""
        if self.condition:
            yield f"\tstop only if {self.condition}"
        if self.wave is not None:
            yield f"\tstop only in thread {self.wave}"
        if self.lane is not None:
            yield f"\tstop only in lane {self.lane}"
        if self.hits:
            yield f"\tbreakpoint already hit {self.hits} time{'s' if self.hits > 1 else ''}"
        if self.ignored:
            yield f"\tignore next {self.ignored} hits"
        yield from (f"        {line}" for line in self.commands)

    @property
    def record(self) -> JsonObject:
        """What all kinds have, with the keys of GDB's machine interface."""
        optional: JsonObject = {
            **({"cond": self.condition} if self.condition else {}),
            **({"thread": self.wave} if self.wave is not None else {}),
            **({"lane": self.lane} if self.lane is not None else {}),
            **({"ignore": self.ignored} if self.ignored else {}),
            **({"script": list(self.commands)} if self.commands else {}),
        }
        return {
            "number": self.number,
            "type": self.type,
            "disp": self.disposition,
            "enabled": "y" if self.is_enabled else "n",
            **self.location_record,
            "times": self.hits,
            **optional,
        }

    @property
    def location_record(self) -> JsonObject:
        """Where it is."""
        place: JsonObject = {}
        if self.place is not None:
            place = {"file": self.place.file, "fullname": self.place.path, "line": self.place.line}
        return {
            "func": None if self.function == "??" else self.function,
            **place,
            "original-location": self.typed,
            "at": self.where,
        }
