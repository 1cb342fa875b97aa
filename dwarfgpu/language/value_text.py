"""Format the values of expressions as GDB prints them."""

from __future__ import annotations

from functools import partial

from dwarfgpu.base.bits import Endian, signed
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.class_of_method import class_of_method
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Function, Member, Pointer, Type, strip
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, UndefinedBits
from dwarfgpu.language.address_symbols import symbolizer
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.other_units import static_member
from dwarfgpu.language.typed_value import INTERNAL, TypedValue
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import Bits
from dwarfgpu.session.bit_field import as_stored
from dwarfgpu.session.session import Session
from dwarfgpu.view.format_options import SYNTHETIC_POINTER
from dwarfgpu.view.object_printer import has_sign_bit
from dwarfgpu.view.pointers import is_untyped_pointer
from dwarfgpu.view.scalars import MAX_BITS
from dwarfgpu.view.values import (
    DEFAULT_OPTIONS,
    OPTIMIZED_OUT,
    FormatOptions,
    Symbolize,
    format_value,
)


def format(
    value: TypedValue,
    session: Session,
    options: FormatOptions = DEFAULT_OPTIONS,
    symbolize: Symbolize | None = None,
) -> str:
    """Return the text of a value. An error in place of its contents is raised, except
    `UndefinedBits`.

    A generic pointer into an aperture also shows its target: `(int *) 0x2000000000010 =
    private_lane#0x10`. `symbolize` names addresses, by default from the code objects' symbols.
    """
    objects = ObjectAccess(session)
    unit = value.unit or _unit_in_focus(session, value.type)
    if unit is not None:
        options = options.of_source(unit.is_cplusplus, unit.style)
    elif options.language is not None:
        options = options.of_source(options.cplusplus, options.style)
    value = objects.read(value)
    if isinstance(value.error, UndefinedBits):
        return OPTIMIZED_OUT
    if value.error is not None:
        raise value.error
    if value.type is None:
        return "void"
    if value.type is INTERNAL:
        return f"<internal function {value.convenience}>"
    if value.pointer is not None:
        name = type_name(value.type, cplusplus=options.cplusplus, style=options.style)
        shown = (
            SYNTHETIC_POINTER if is_untyped_pointer(value.type) else f"({name}) {SYNTHETIC_POINTER}"
        )
        return shown + referred_text(value, session, options, symbolize)
    assert value.bits is not None
    kind, bits = value.type, widened(value, value.bits, session.architecture.endian)
    text = format_value(
        bits,
        kind,
        options,
        endian=session.architecture.endian,
        location=value.location,
        resolver=objects.resolver,
        around=value.around,
        architecture=session.architecture,
        symbolize=symbolize or symbolizer(session, options),
        read_memory=partial(read_memory, objects),
        static=partial(_read_static, session, value.unit),
        class_of_method=partial(class_of_method, session.loaded_objects()),
        space_of=partial(_space_of, objects, value.unit),
        is_cut=bits.size_bits < (size_bits(kind) or 0),
    )
    return text + _aperture(objects, value)


def _unit_in_focus(session: Session, type_: Type | None) -> CompilationUnit | None:
    """Return the unit of the current language if it is C++ or Ada, which spell code, and pointers
    from registers to it, in their own ways; where code has no unit, that of `main`."""
    if not isinstance(type_, Pointer | Function) or session.pc is None:
        return None
    from dwarfgpu.language.name_resolution import Names  # for pointers only
    from dwarfgpu.language.syntax.expression_language import language_of

    unit = Names(session).current_unit
    is_ada = unit is not None and unit.style == "ada"
    return unit if is_ada or language_of(unit).is_cplusplus else None


def referred_text(
    value: TypedValue, session: Session, options: FormatOptions, symbolize: Symbolize | None
) -> str:
    """Return the target of a synthetic reference, or why it is unknown; empty for a pointer."""
    bare = strip(value.type)
    if not isinstance(bare, Pointer) or bare.kind == "pointer" or value.pointer is None:
        return ""
    try:
        location = ObjectAccess(session).pointee(value)
        referred = TypedValue(bare.target, location, unit=value.unit)
        return f": {format(referred, session, options, symbolize)}"
    except UndefinedBits:
        return f": {OPTIMIZED_OUT}"
    except DwarfGpuError as error:  # GCC writes entry 0 in split files
        return f": <error: {error.message}>"


def widened(value: TypedValue, bits: Bits, endian: Endian) -> Bits:
    """Return a bit-field as an object of its type, sign and all, unless no machine has the type."""
    if value.bit_size is None:
        return bits
    bare = strip(value.type)
    size = size_bits(bare) or 0
    if bits.size_bits >= size or size > MAX_BITS:
        return bits
    number = bits.value
    if has_sign_bit(bare):
        number = signed(number, bits.size_bits) & (1 << size) - 1
    wide = Bits(number, size, bits.undefined, bits.unavailable, bits.reasons)
    return as_stored(wide, value.type, endian)


def _space_of(objects: ObjectAccess, unit: CompilationUnit | None, pointer_type: Pointer) -> int:
    """Return the address space that the address class of a pointer means."""
    return objects.space_of(pointer_type, unit).number if pointer_type.address_class else 0


def _aperture(objects: ObjectAccess, value: TypedValue) -> str:
    """Return where a generic address really is, if not in global memory."""
    bare = strip(value.type)
    if not isinstance(bare, Pointer) or bare.kind != "pointer" or value.bits is None:
        return ""
    if not value.bits.is_complete:
        return ""
    space = objects.space_of(bare, value.unit)
    converted, address = objects.resolved(space, value.bits.value)
    if space.name != "generic" or not converted.number:
        return ""
    return f" = {objects.address_text(converted, address)}"


def _read_static(
    session: Session, unit: CompilationUnit | None, member: Member
) -> tuple[Bits, Location | None] | None:
    """Return a static member of the class of an object of a unit."""
    variable = static_member(session, member, unit)
    if variable is None:
        return None
    reading = session.read(variable)
    if isinstance(reading.failure, UndefinedBits):
        return None
    if reading.failure is not None:
        raise reading.failure
    return None if reading.bits is None else (reading.bits, reading.location)


def read_memory(objects: ObjectAccess, address: int, space: int, size_bytes: int) -> bytes:
    """Read memory to which a pointer points; without an address space, that of A.5.3 is used."""
    if space:
        where = objects.architecture.address_space(space)
    else:
        where = objects.space_of(Pointer(None), None)
    return objects.context.access.read_bytes(objects.at(where, address), size_bytes)
