"""What a command shows of a result or an error: text and JSON from the same facts.

`dwarfgpu.service.reading_answer` has that of a variable: it loads types and printers, which
operations do not need.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.lazy_attrs import frozen
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.evaluate import Result
from dwarfgpu.machine.image import Image
from dwarfgpu.model.location import Location
from dwarfgpu.model.storage import Memory
from dwarfgpu.service.error_text import error_json, error_line
from dwarfgpu.view.explain import is_undefined_somewhere
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.location_json import entry_json
from dwarfgpu.view.locations import entry_text, location_text

NOT_AVAILABLE = " is not available: "
"""Between a name and the reason."""


@frozen
class Answer:
    """One result for one lane, ready to be shown."""

    text: str
    """The value, or why there is none."""
    record: JsonObject
    """`notes` and `result` or `error`, and with a type `bytes`, `undefined_bits`, `text`."""
    status: int
    where: str | None = None
    """The location in one line."""
    notes: tuple[str, ...] = ()
    error: DwarfGpuError | None = None


class LoadedObject(Protocol):
    """A code object, as far as texts of addresses need it."""

    def images(self) -> Iterable[Image]:
        """What it loads."""
        ...

    def offset_text(self, address: int) -> str:
        """A loaded address, as an offset in the file."""
        ...


def of_result(
    result: Result,
    notes: tuple[str, ...],
    endian: Endian,
    code_objects: Sequence[LoadedObject] = (),
) -> Answer:
    """The result of an expression without a type."""
    found = entry_json(result, endian)
    record: JsonObject = {"notes": list(notes), "result": found}
    status = 1 if is_undefined_somewhere(result) else 0
    text = where_text(result, code_objects) if isinstance(result, Location) else entry_text(result)
    return Answer(text, record, status, notes=notes)


def of_error(error: DwarfGpuError, notes: tuple[str, ...]) -> Answer:
    """An error in place of a result."""
    record: JsonObject = {"notes": list(notes), **error_json(error)}
    return Answer(error_line(error), record, 1, notes=notes, error=error)


def where_text(location: Location, code_objects: Sequence[LoadedObject]) -> str:
    """The location in one line; an address of a code object also as an offset in it."""
    text = location_text(location)
    if len(location.places) == 1:
        place = location.places[0]
        address = place.byte_address
        if address is not None and isinstance(place.storage, Memory):
            known = _offset_text(code_objects, address) if place.storage.space.number == 0 else None
            text += f" = {known}" if known is not None else ""
    return text


def _offset_text(code_objects: Sequence[LoadedObject], address: int) -> str | None:
    """`k.co+0x1a40` for an address in what a code object loads; None for any other."""
    for each in code_objects:
        for image in each.images():
            if 0 <= address - image.address < image.size_bytes:
                return each.offset_text(address)
    return None
