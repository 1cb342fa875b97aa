"""The result for one lane: text for people, and the same facts as the object used by all schemas.

`dwarfgpu.service.value.reading_answer` makes the answers for variables: it loads types and
printers, which operations do not need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, Protocol

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.errors import DwarfGpuError, UndefinedBits
from dwarfgpu.expr.evaluate import Result
from dwarfgpu.machine.code_object_memory import LoadedSegment
from dwarfgpu.model.location import Location
from dwarfgpu.model.storage import Memory
from dwarfgpu.service.error_text import error_json, error_line
from dwarfgpu.view.composite_parts import UndefinedParts
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.location_json import entry_json
from dwarfgpu.view.location_text import entry_text, location_text

if TYPE_CHECKING:
    from dwarfgpu.dwarf.scope.variable import Variable
    from dwarfgpu.session.session import Session


def machine_interface(text: str, type_text: str | None, location: Location | None) -> JsonObject:
    """Return a value with the keys of GDB's machine interface, and its location in one line.

    It is the definition `machine_interface` of `docs/schema/value.json`.
    """
    where = None if location is None else location_text(location)
    return {"value": text, "type": type_text, "location": where}


NOT_AVAILABLE: Final = " is not available: "
PARTLY_AVAILABLE: Final = " is only partly available: "
"""Between a name and the reason."""
KERNARG_HINT: Final = "the arguments of the kernel are in $_kernarg: print "
"""How the advice of `kernarg_hint` begins."""


@frozen(eq=False)
class Answer:
    """The result for one lane. What JSON alone or lists alone show is made when it is shown."""

    text: str
    """The value, or why there is none."""
    status: int
    """1 if there is no value, or it has unknown bits."""
    notes: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    """The notes about assumptions, not about missing parts."""
    error: DwarfGpuError | None = None
    """Why there is no result."""
    missing: DwarfGpuError | None = None
    """Why bits of the result are unknown, if an error says so."""
    contents: Callable[[], JsonObject] = field(default=dict, repr=False)
    """The members of the record of a result: `result`; of a type also its contents."""
    location_line: Callable[[], str | None] = field(default=lambda: None, repr=False)
    referent: Callable[[], Answer] | None = field(default=None, repr=False)
    """Answers about what a reference refers to; None for any other value."""

    @property
    def record(self) -> JsonObject:
        """The object `answer` of `docs/schema/value.json`.

        `LimitExceeded` for numbers that are too long for it.
        """
        record = self.contents() if self.error is None else error_json(self.error)
        return {"notes": [*self.notes], **record}

    @property
    def where(self) -> str | None:
        """The location in one line; None without a location."""
        return self.location_line()

    def with_notes(self, notes: Iterable[str]) -> Answer:
        """Return the same result with these notes, once each."""
        return evolve(self, notes=tuple(dict.fromkeys(notes)))


class LoadedObject(Protocol):
    """The parts of a code object that texts of addresses need."""

    def loaded_segments(self) -> Iterable[LoadedSegment]:
        """Return the segments that it loads."""
        ...

    def offset_text(self, address: int) -> str:
        """Return a loaded address, as an offset in the file."""
        ...


def of_result(
    result: Result,
    notes: tuple[str, ...],
    endian: Endian,
    code_objects: Sequence[LoadedObject] = (),
) -> Answer:
    """Return the result of an expression without a type."""
    text = where_text(result, code_objects) if isinstance(result, Location) else entry_text(result)
    status = 1 if UndefinedParts().are_in(result) else 0

    def contents() -> JsonObject:
        return {"result": entry_json(result, endian)}

    return Answer(text, status, notes, notes, contents=contents)


def of_error(error: DwarfGpuError, notes: tuple[str, ...]) -> Answer:
    """Return an error in place of a result; nothing of what led to it is kept."""
    return Answer(error_line(error), 1, notes, notes, error.with_traceback(None))


def is_on_availability(note: str) -> bool:
    """Return whether a note says why a value, or a part of it, is not available."""
    return NOT_AVAILABLE in note or PARTLY_AVAILABLE in note


def without_value(error: DwarfGpuError) -> str:
    """Return why there is no value: one that is optimized out is no mistake of anybody."""
    if isinstance(error, UndefinedBits):
        from dwarfgpu.view.format_options import OPTIMIZED_OUT  # operations need no types

        return f"{OPTIMIZED_OUT} ({error.message})"
    return error_line(error)


def first_hint(notes: Iterable[str]) -> list[str]:
    """Return the notes, once each, with only the first of the hints: it covers all arguments."""
    unique = list(dict.fromkeys(notes))
    hints = [note for note in unique if note.startswith(KERNARG_HINT)]
    return [note for note in unique if note not in hints[1:]]


def has_hint(notes: Iterable[str]) -> bool:
    """Return whether one of the notes is a hint."""
    return any(note.startswith(KERNARG_HINT) for note in notes)


def where_text(location: Location, code_objects: Sequence[LoadedObject]) -> str:
    """Return the location in one line; an address of a code object also as an offset in it."""
    text = location_text(location)
    if len(location.single_locations) == 1:
        single = location.single_locations[0]
        address = single.byte_address
        if address is not None and isinstance(single.storage, Memory):
            offset_text = (
                _offset_text(code_objects, address) if single.storage.space.number == 0 else None
            )
            text += f" = {offset_text}" if offset_text is not None else ""
    return text


def _offset_text(code_objects: Sequence[LoadedObject], address: int) -> str | None:
    """Return `k.co+0x1a40` for an address in what a code object loads; None for any other."""
    for code_object in code_objects:
        for segment in code_object.loaded_segments():
            if 0 <= address - segment.address < segment.size_bytes:
                return code_object.offset_text(address)
    return None


def listed(session: Session, kind: str, variables: Sequence[Variable]) -> Sequence[Variable]:
    """Return variables of a frame that are listed with their values; `LimitExceeded` for too
    many."""
    code_object = session.code_object
    if code_object is not None:
        code_object.file.limits.check_listed(kind, len(variables))
    return variables
