"""What a command shows of a variable: text and JSON from the same facts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from dwarfgpu.base.bits import Endian
from dwarfgpu.dwarf.types.types import (
    Absent,
    Array,
    Dynamic,
    MemberPointer,
    Pointer,
    Struct,
    Type,
    size_bits,
    strip,
)
from dwarfgpu.errors import UndefinedBits
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import DESCRIBES, Bits
from dwarfgpu.model.storage import Memory
from dwarfgpu.service.answer import NOT_AVAILABLE, Answer, where_text
from dwarfgpu.service.error_text import error_json, error_line
from dwarfgpu.session.session import Reading, Session
from dwarfgpu.view.json_object import JsonObject, Plain
from dwarfgpu.view.location_json import location_json
from dwarfgpu.view.printers.standard import STANDARD
from dwarfgpu.view.synthetic_pointers import without_removed
from dwarfgpu.view.value_json import value_data
from dwarfgpu.view.values import OPTIMIZED_OUT, FormatOptions, format_value

DEFAULT_OPTIONS = FormatOptions()
UNDEFINED_STORAGE = "undefined storage"
"""The reason of `Access` for bits that the compiler says are nowhere."""


def of_reading(
    reading: Reading, session: Session, options: FormatOptions = DEFAULT_OPTIONS
) -> Answer:
    """A variable."""
    location, notes = reading.location, reading.notes
    where = None if location is None else where_text(location, session.code_objects)
    if reading.failure is not None:
        error = reading.failure
        record: JsonObject = {"notes": list(notes), **error_json(error)}
        text = f"<error: {error_line(error)}>"
        if isinstance(error, UndefinedBits):
            text = f"{OPTIMIZED_OUT} ({error.message})"
        return Answer(text, record, 1, where, notes, error)
    assert location is not None
    record = {"notes": list(notes), "result": location_json(location, session.architecture.endian)}
    if reading.pointer is not None:
        text = f"({reading.variable.type_text}) <synthetic pointer>"
        record |= {"bytes": None, "undefined_bits": [], "unavailable_bits": [], "text": text}
        record["data"] = {"unknown": "synthetic pointer"}
        return Answer(text, record, 0, where, notes)
    assert reading.bits is not None
    text = variable_text(reading, session, options)
    record |= bits_json(reading.bits, session.architecture.endian)
    record["text"] = text
    record["data"] = data_json(reading.bits, reading.type, session, location)
    rest = beside_removed(reading.bits, reading.type, session, location)
    notes = (*notes, *about_bits(reading.variable.name, reading.bits, rest, session))
    record["notes"] = list(notes)
    is_whole = rest.is_complete and not is_cut(reading.bits, reading.type)
    return Answer(text, record, 0 if is_whole else 1, where, notes)


def is_cut(bits: Bits, kind: Type | None) -> bool:
    """Whether only the first elements of an array were read (`resolve_type.readable_bits`)."""
    return bits.size_bits < (size_bits(kind) or 0)


def variable_text(reading: Reading, session: Session, options: FormatOptions) -> str:
    """Its contents: what pointers mean (A.5.3), their symbols, and static members need the
    language, which is loaded for those that can have them only."""
    assert reading.bits is not None
    unit = reading.variable.unit
    cplusplus = options.cplusplus or unit.is_cplusplus
    options = options.of_source(cplusplus, unit.style)
    bare = strip(reading.type)
    if isinstance(bare, Pointer | MemberPointer | Struct | Array | Dynamic | Absent):
        from dwarfgpu.language import TypedValue, format

        variable = reading.variable
        value = TypedValue(
            reading.type, reading.location, reading.bits, unit=variable.unit, variable=variable
        )
        return format(value, session, options)
    return value_text(reading.bits, reading.type, session, reading.location, options)


def about_bits(name: str, bits: Bits, rest: Bits, session: Session) -> Iterator[str]:
    """What is to be said of bits that are not known; `rest`: `beside_removed`."""
    reasons = [reason for reason in rest.reasons if reason != UNDEFINED_STORAGE]
    if rest.unavailable and reasons:
        yield f"{name}{NOT_AVAILABLE}{reasons[0]}"
    if bits.undefined and bits.undefined != (1 << bits.size_bits) - 1 and bits.size_bits <= 512:
        known = bits.hex(session.architecture.endian)
        why = next((f" ({reason})" for reason in bits.reasons if reason.startswith(DESCRIBES)), "")
        yield f"{name} is partly optimized out: its bytes are {known}{why}"


def beside_removed(
    bits: Bits, kind: Type | None, session: Session, location: Location | None
) -> Bits:
    """The bits of an object; removed pointers in it are no more incomplete than one alone."""
    endian = session.architecture.endian
    return without_removed(bits, kind, location, session.resolver(), endian)


def bits_json(bits: Bits, endian: Endian) -> JsonObject:
    """The bytes of an object; digits with unknown bits are `?`."""

    def ranges(found: list[tuple[int, int]]) -> list[Plain]:
        return [{"bit_offset": first, "bit_size": count} for first, count in found]

    return {
        "bytes": bits.hex(endian),
        "undefined_bits": ranges(bits.undefined_ranges(endian)),
        "unavailable_bits": ranges(bits.unavailable_ranges(endian)),
    }


def data_json(bits: Bits, kind: Type | None, session: Session, location: Location | None) -> Plain:
    """The object D of `dwarfgpu-eval-1`: the value part by part."""
    return value_data(
        bits,
        kind,
        endian=session.architecture.endian,
        architecture=session.architecture,
        location=location,
        resolver=session.resolver(),
        read_memory=partial(_read_memory, session),
        printers=STANDARD,
    )


def _read_memory(session: Session, address: int, space: int, size_bytes: int) -> bytes:
    """Memory of the wave and lane in focus."""
    if session.target is None:
        raise UndefinedBits("no target")
    where = Memory(session.architecture.address_space(space), session.wave, session.lane)
    return session.target.read_memory(where, address, size_bytes)


def value_text(
    bits: Bits,
    kind: Type | None,
    session: Session,
    location: Location | None,
    options: FormatOptions = DEFAULT_OPTIONS,
) -> str:
    """The object as GDB prints it."""
    architecture = session.architecture
    return format_value(
        bits,
        kind,
        options,
        endian=architecture.endian,
        location=location,
        resolver=session.resolver(),
        architecture=architecture,
        read_memory=partial(_read_memory, session),
        is_cut=is_cut(bits, kind),
    )
