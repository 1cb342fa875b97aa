"""Answers about the value of a variable or an expression: the text and the JSON of commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from dwarfgpu.access.exact_reads import memory_bytes
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.scope.class_of_method import class_of_method
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import (
    Absent,
    Array,
    Dynamic,
    MemberPointer,
    Pointer,
    Struct,
    Type,
    strip,
)
from dwarfgpu.errors import DwarfGpuError, UndefinedBits
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import REASON_LOST, REASON_UNDESCRIBED, Bits, is_of_undefined
from dwarfgpu.model.storage import Memory
from dwarfgpu.service.answer import (
    NOT_AVAILABLE,
    PARTLY_AVAILABLE,
    Answer,
    where_text,
    without_value,
)
from dwarfgpu.service.error_text import error_line
from dwarfgpu.session.reading import Reading
from dwarfgpu.session.session import Session
from dwarfgpu.session.synthetic_pointers import implicit_pointers_as_known
from dwarfgpu.session.unknown_members import (
    has_all_members,
    has_virtual_base,
    reasons_of_member,
)
from dwarfgpu.view.format_options import error_as_text
from dwarfgpu.view.json_object import JsonObject, Plain
from dwarfgpu.view.location_json import location_json
from dwarfgpu.view.printers.standard import STANDARD
from dwarfgpu.view.values import (
    DEFAULT_OPTIONS,
    FormatOptions,
    Symbolize,
    format_value,
)

if TYPE_CHECKING:
    from dwarfgpu.language import TypedValue

Report: TypeAlias = Callable[[DwarfGpuError], None]


@frozen(eq=False)
class Contents:
    """What was read of a variable or an expression, to be shown in an `Answer`."""

    name: str
    """The name that notes use."""
    type: Type | None
    location: Location | None
    bits: Bits | None
    """None if nothing was read."""
    notes: tuple[str, ...]
    error: DwarfGpuError | None = None
    """Why nothing was read."""
    is_pointer: bool = False
    """Whether it is a synthetic pointer, which has no bits."""


def of_contents(
    contents: Contents,
    session: Session,
    *,
    text: Callable[[Report], str],
    type_text: Callable[[], str | None],
    result: Callable[[], JsonObject] | None = None,
    shown_bits: Callable[[Bits], Bits] | None = None,
) -> Answer:
    """Return the answer about an object of a type.

    `text` returns its text, and reports each error that is in place of a part. `result`: the
    member of that name for a value without a location. `shown_bits`: the object as which a
    bit-field is shown.
    """
    location, bits, notes, error = contents.location, contents.bits, contents.notes, contents.error
    endian = session.architecture.endian

    def location_line() -> str | None:
        return None if location is None else where_text(location, session.code_objects)

    if error is not None and bits is None:
        is_missing = isinstance(error, UndefinedBits)
        why = without_value(error) if is_missing else f"<error: {error_line(error)}>"
        return Answer(why, 1, notes, notes, error, location_line=location_line)
    faults: list[DwarfGpuError] = []
    shown = text(faults.append)
    if faults and shown == error_as_text(faults[0]):  # of the whole object
        return Answer(shown, 1, notes, notes, faults[0], location_line=location_line)

    def record() -> JsonObject:
        record = location_json(location, endian) if location is not None else None
        if record is None:
            assert result is not None
            record = result()
        out: JsonObject = {"result": record, "type": type_text(), **bits_json(bits, endian)}
        out["text"] = shown
        if bits is not None:
            wide = bits if shown_bits is None else shown_bits(bits)
            data = data_json(wide, contents.type, session, location)
            if faults and is_reference(contents.type) and isinstance(data, dict):
                data["error"] = faults[0].message
            out["data"] = data
        elif contents.is_pointer:
            from dwarfgpu.view.value_data import unknown

            out["data"] = unknown("synthetic pointer")
        return out

    is_whole = True
    has_others = location is not None and _has_virtual_base(contents.type)  # not in its bits
    if bits is not None and (has_others or not bits.is_complete):
        rest = beside_removed(bits, contents.type, session, location)
        is_whole = has_all_members(rest, contents.type, endian, location, session.resolver)
        if not is_whole:
            notes = (*notes, *about_bits(contents, bits, rest, session))
    is_whole = is_whole and not faults and (bits is None or not is_cut(bits, contents.type))
    status = 0 if is_whole else 1
    assumed = contents.notes
    return Answer(
        shown, status, notes, assumed, missing=error, contents=record, location_line=location_line
    )


def of_reading(reading: Reading, session: Session, text: str | None = None) -> Answer:
    """Return the answer for a variable; `text`: its contents as the front end shows them, if it
    formats them itself."""
    variable = reading.variable
    contents = Contents(
        variable.name,
        reading.type,
        reading.location,
        reading.bits,
        reading.notes,
        reading.failure,
        reading.pointer is not None,
    )

    def shown(report: Report) -> str:
        options = evolve(DEFAULT_OPTIONS, report=report)
        return variable_text(reading, session, options) if text is None else text

    return of_contents(
        contents,
        session,
        text=shown,
        type_text=lambda: variable.readable_type_text,
    )


def is_reference(type_: Type | None) -> bool:
    """Return whether a value refers to an object, which the language takes in its place."""
    bare = strip(type_)
    return isinstance(bare, Pointer) and bare.kind != "pointer"


def is_cut(bits: Bits, type_: Type | None) -> bool:
    """Return whether the bits are fewer than those of the type: the first elements of a long array
    (`object_contents.readable_bits`). A bit-field, whose type is not an array, is whole."""
    return isinstance(strip(type_), Array) and bits.size_bits < (size_bits(type_) or 0)


def variable_text(
    reading: Reading,
    session: Session,
    options: FormatOptions,
    symbolize: Symbolize | None = None,
) -> str:
    """Return the contents of a variable as text.

    Only pointers (A.5.3), implicit ones in integers too, and types with symbols or static members
    import the language: it is large.
    """
    unit = reading.variable.unit
    cplusplus = options.cplusplus or unit.is_cplusplus
    options = options.of_source(cplusplus, unit.style)
    of_language = Pointer | MemberPointer | Struct | Array | Dynamic | Absent
    bits = reading.bits
    if bits is None or isinstance(strip(reading.type), of_language):
        from dwarfgpu.language import format

        return format(value_of(reading), session, options, symbolize)
    return value_text(bits, reading.type, session, reading.location, options)


def value_of(reading: Reading) -> TypedValue:
    """Return what was read of a variable, as a value of the language."""
    from dwarfgpu.language import TypedValue  # it is large

    variable = reading.variable
    return TypedValue(
        reading.type,
        reading.location,
        reading.bits,
        reading.pointer,
        unit=variable.unit,
        variable=variable,
    )


def _has_virtual_base(type_: Type | None) -> bool:
    """Return whether parts of an object may be outside of its bits; the text has the error of a
    member whose type cannot be read."""
    try:
        return has_virtual_base(type_)
    except DwarfGpuError:
        return False


def about_bits(contents: Contents, bits: Bits, rest: Bits, session: Session) -> Iterator[str]:
    """Yield notes about unknown bits; `rest`: `beside_removed`."""
    name, location = contents.name, contents.location
    why_lost = next((text for text in bits.reasons if text.startswith(REASON_LOST)), None)
    unread = evolve(rest, undefined=0)
    why_missing = reasons_of_member(
        unread, contents.type, location, session.context(), session.resolver
    )
    reasons = [text for text in why_missing if not is_of_undefined(text)]
    if why_lost is not None and bits.undefined == (1 << bits.size_bits) - 1:
        yield f"{name} is optimized out: {why_lost.removeprefix(REASON_LOST)}"
    if (rest.unavailable or bits.is_complete) and reasons:
        is_whole = (bits.undefined | bits.unavailable) == (1 << bits.size_bits) - 1
        yield f"{name}{NOT_AVAILABLE if is_whole else PARTLY_AVAILABLE}{reasons[0]}"
    if bits.undefined and bits.undefined != (1 << bits.size_bits) - 1 and bits.size_bits <= 512:
        digits = bits.hex(session.architecture.endian)
        why = next(
            (f" ({reason})" for reason in bits.reasons if reason.startswith(REASON_UNDESCRIBED)), ""
        )
        yield f"{name} is partly optimized out: its bytes are {digits}{why}"


def beside_removed(
    bits: Bits, type_: Type | None, session: Session, location: Location | None
) -> Bits:
    """Return the bits of an object in which implicit pointers count as complete, as one alone
    does."""
    endian = session.architecture.endian
    return implicit_pointers_as_known(bits, type_, location, session.resolver(), endian)


def bits_json(bits: Bits | None, endian: Endian) -> JsonObject:
    """Return the bytes of an object; digits with unknown bits are `?`. None if there are none."""
    if bits is None:
        return {"bytes": None, "undefined_bits": [], "unavailable_bits": []}

    def ranges(runs: list[tuple[int, int]]) -> list[Plain]:
        return [{"bit_offset": first, "bit_size": count} for first, count in runs]

    return {
        "bytes": bits.hex(endian),
        "undefined_bits": ranges(bits.undefined_ranges(endian)),
        "unavailable_bits": ranges(bits.unavailable_ranges(endian)),
    }


def data_json(bits: Bits, type_: Type | None, session: Session, location: Location | None) -> Plain:
    """Return the object D of `dwarfgpu-eval-1`: the value part by part."""
    from dwarfgpu.view.value_data import value_data  # text needs none

    return value_data(
        bits,
        type_,
        endian=session.architecture.endian,
        architecture=session.architecture,
        location=location,
        resolver=session.resolver(),
        read_memory=partial(_read_memory, session),
        class_of_method=partial(class_of_method, session.code_objects),
        printers=STANDARD,
    )


def _read_memory(session: Session, address: int, space: int, size_bytes: int) -> bytes:
    """Return memory of the wave and lane in focus."""
    if session.target is None:
        raise UndefinedBits("no target")
    where = Memory(session.architecture.address_space(space), session.wave, session.lane)
    return memory_bytes(session.target, where, address, size_bytes)


def value_text(
    bits: Bits,
    type_: Type | None,
    session: Session,
    location: Location | None,
    options: FormatOptions = DEFAULT_OPTIONS,
) -> str:
    """Return the object as GDB prints it."""
    architecture = session.architecture
    return format_value(
        bits,
        type_,
        options,
        endian=architecture.endian,
        location=location,
        resolver=session.resolver(),
        architecture=architecture,
        read_memory=partial(_read_memory, session),
        class_of_method=partial(class_of_method, session.code_objects),
        is_cut=is_cut(bits, type_),
    )
