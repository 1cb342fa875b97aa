"""A breakpoint, watchpoint or catchpoint, as `info breakpoints` lists it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from dwarfgpu.base.records import define
from dwarfgpu.errors import counted
from dwarfgpu.machine.target import WaveId
from dwarfgpu.view.json_object import JsonObject, Plain

if TYPE_CHECKING:  # few sessions have breakpoints
    from dwarfgpu.service.code.break_addresses import BreakAddress

Disposition: TypeAlias = Literal["keep", "del", "dis"]
"""What becomes of it when it stops the program: GDB's words."""
_PENDING: Final = "<PENDING>"
_SEVERAL: Final = "<MULTIPLE>"
"""In place of an address, where locations have lines of their own."""


@define(eq=False)
class Breakpoint:
    """A location where the machine stops."""

    number: int
    typed: str
    """The location or the expression, as it was typed."""
    locations: tuple[BreakAddress, ...] = ()
    disposition: Disposition = "keep"
    condition: str = ""
    """It stops a wave only if this holds in one of its active lanes."""
    wave: WaveId | None = None
    """The only wave that it stops; None for all."""
    lane: int | None = None
    """The only lane for which it stops, when that is active; None for all."""
    is_enabled: bool = True
    disabled_locations: frozenset[int] = frozenset()
    """The numbers, from 1, of several locations that `disable N.LOCATION` has disabled."""
    invalid_locations: frozenset[int] = frozenset()
    """The numbers, from 1, of the locations at which the condition is invalid."""
    stops_left: int = 0
    """After which it is disabled, where the disposition is `dis`."""
    hits: int = 0
    hit_lanes: tuple[int, ...] | None = None
    """The lanes in which the condition was true when it was last reached; None for all active
    lanes."""
    ignored: int = 0
    """The number of hits that will not stop the program."""
    commands: tuple[str, ...] = ()
    """Commands that run when it has stopped the program."""
    address_digits: int = 16
    """Of its addresses in `info breakpoints`."""
    is_hardware: bool = False
    """Set by `hbreak`: on a simulated machine it is like others."""
    linespec: str = ""
    """The location with the quotes that were typed, which may be around a name with blanks."""
    pending: str = ""
    """The location, where no file that is open now has it: it waits for that file."""

    @property
    def is_temporary(self) -> bool:
        return self.disposition == "del"

    @property
    def type(self) -> str:
        """The column `Type`."""
        if self.is_resolver:
            return "STT_GNU_IFUNC resolver"
        return "hw breakpoint" if self.is_hardware else "breakpoint"

    @property
    def is_resolver(self) -> bool:
        """Whether its only location is the code that chooses an indirect function."""
        return not self.is_hardware and [item.is_resolver for item in self.locations] == [True]

    @property
    def kind(self) -> str:
        """In the report of a stop, before the number: `Temporary breakpoint`."""
        return "Temporary breakpoint" if self.is_temporary else "Breakpoint"

    @property
    def inserted(self) -> tuple[int, ...]:
        """The addresses at which it currently stops the machine."""
        off = self.disabled_locations | self.invalid_locations
        if self.pending:
            return ()
        if not self.is_enabled or not off:
            return self.addresses if self.is_enabled else ()
        return tuple(pc for number, pc in enumerate(self.addresses, 1) if number not in off)

    def enable_location(self, number: int, *, is_enabled: bool) -> None:
        """Enable or disable one location, numbered from 1."""
        if is_enabled:
            self.disabled_locations -= {number}
        else:
            self.disabled_locations |= {number}

    @property
    def addresses(self) -> tuple[int, ...]:
        return tuple(location.pc for location in self.locations)

    def row(self) -> str:
        """Return its line in `info breakpoints`, without the columns of all kinds."""
        thread = "" if self.wave is None else f" thread {self.wave}"
        if self.has_location_rows:
            address = _SEVERAL.ljust(self.address_digits + 3)
            return f"{address}{thread}"
        where = self._where(self.locations[0]) if self.locations else self._waiting
        return f"{where}{thread}"

    def _where(self, location: BreakAddress) -> str:
        width = self.address_digits + 2
        return self._waiting if self.pending else f"{location.pc:#0{width}x} {location}"

    @property
    def _waiting(self) -> str:
        """The end of the row of a pending breakpoint."""
        return f"{_PENDING:<{self.address_digits + 2}} {self.pending}"

    def location_rows(self) -> Iterator[tuple[str, str]]:
        """Number and the rest of the lines of its locations, if they have lines."""
        if self.has_location_rows:
            for number, location in enumerate(self.locations, 1):
                enabled = f"{self._enabled(number):<2}"
                yield f"{self.number}.{number}", f"{enabled}  {self._where(location)}"

    @property
    def has_location_rows(self) -> bool:
        """Whether its locations have lines of their own in `info breakpoints`."""
        is_off = bool(self.disabled_locations or self.invalid_locations)
        return len(self.locations) > 1 or is_off

    def _enabled(self, number: int) -> str:
        """Return the column `Enb` of a location: `y-` for one whose breakpoint is disabled, `N*`
        for an invalid condition."""
        if number in self.invalid_locations:
            return "N*"
        if number in self.disabled_locations:
            return "n"
        return "y" if self.is_enabled else "y-"

    def details(self) -> Iterator[str]:
        """Yield the indented lines that `info breakpoints` prints below the row, up to the
        commands."""
        if self.condition:
            yield f"\tstop only if {self.condition}"
        if self.wave is not None:
            yield f"\tstop only in thread {self.wave}"
        if self.lane is not None:
            yield f"\tstop only in lane {self.lane}"
        if self.hits:
            yield f"\tbreakpoint already hit {counted(self.hits, 'time')}"
        if self.ignored:
            yield f"\tignore next {self.ignored} hits"
        if self.stops_left > 1 and self.disposition == "dis":
            which = "additional" if self.ignored else "next"  # the hits that count come after
            yield f"\tdisable after {which} {self.stops_left} hits"

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
        if self.pending:
            return {"addr": _PENDING, "pending": self.pending, "original-location": self.typed}
        first = self.locations[0]
        record: JsonObject = {
            **_source_record(first),
            "original-location": self.typed,
            "at": str(first).removeprefix("in "),
        }
        if not self.has_location_rows:
            return {**record, "addr": f"{first.pc:#x}"}
        locations: list[Plain] = [self._location_record(n) for n in range(len(self.locations))]
        return {**record, "addr": _SEVERAL, "locations": locations}

    def _location_record(self, index: int) -> JsonObject:
        location = self.locations[index]
        return {
            "number": f"{self.number}.{index + 1}",
            "enabled": self._enabled(index + 1)[0].lower() if self.is_enabled else "n",
            "addr": f"{location.pc:#x}",
            **_source_record(location),
        }


def _source_record(location: BreakAddress) -> JsonObject:
    source: JsonObject = {}
    if location.position is not None:
        file, path, line = location.position.file, location.position.path, location.position.line
        source = {"file": file, "fullname": path, "line": line}
    return {"func": location.function, **source}
