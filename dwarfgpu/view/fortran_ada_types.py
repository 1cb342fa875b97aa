"""Types of Fortran and Ada in full, as GDB's `ptype` prints them there.

Law: of structures only those at the top are in full; `shortened` bounds their text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.base.base_type import CHARACTERS
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.constants import Style
from dwarfgpu.dwarf.names.fortran_ada import (
    OF_TASK,
    PARENT,
    TAG,
    ada_name,
    allocatable,
    enumeration_range,
    fortran_dimensions,
    fortran_name,
    is_added,
    is_string,
    pointer_to_elements,
)
from dwarfgpu.dwarf.types.class_parts import Variant, VariantPart
from dwarfgpu.dwarf.types.dynamic_properties import ComputedRange
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import (
    Absent,
    Array,
    Base,
    Dynamic,
    Enum,
    Member,
    Pointer,
    Qualified,
    Range,
    Struct,
    Type,
    Typedef,
    strip,
)
from dwarfgpu.view.definition_bounds import shortened
from dwarfgpu.view.scalars import MAX_BITS
from dwarfgpu.view.strings import CharacterKind, quoted_character

_DEEPEST: Final = 20
_UNKNOWN: Final = "<>"
"""A bound that depends on the running program."""


def definition(type_: Type | None, style: Style, depth: int = 0) -> str:
    """Return `Type point … End Type point` or `record … end record`; `IllFormed` for a cycle of
    typedefs."""
    bare = strip(type_)
    form = bare.form if isinstance(bare, Dynamic | Absent) else bare
    if depth > _DEEPEST:
        return "..."
    if isinstance(form, Enum) and (values := enumeration_range(type_)) is not None:
        words = [_enumerator(form, end) for end in _ends(values)]
        return f"range {' .. '.join(words)}"
    if isinstance(form, Pointer):
        inner = definition(form.target, style, depth + 1)
        is_pointer = form.kind == "pointer"
        if style == "fortran":
            return f"{'PTR' if is_pointer else 'REF'} TO -> ( {inner} )"
        return f"{'access' if is_pointer else '<ref>'} {inner}"
    if isinstance(form, Struct):
        elements = pointer_to_elements(form) if style == "ada" else None
        if elements is not None:
            array = definition(elements.target, style, depth + 1)
            return f"access {array}" if _is_access(type_) else array
        return "\n".join(_fortran(form) if style == "fortran" else _record(form))
    if style == "fortran":
        if isinstance(form, Array) and not is_string(form):
            inner = definition(form.element, style, depth + 1)
            dimensions = fortran_dimensions(form, is_whole=form is bare)
            return f"{inner}{allocatable(bare)} ({dimensions})"
        return fortran_name(bare)
    return _ada(form)


def _ends(values: Range | ComputedRange) -> tuple[int | None, int | None]:
    """Return the bounds of a subtype; None for one that is not known."""
    lower, upper = values.lower, values.upper
    return lower if isinstance(lower, int) else None, upper if isinstance(upper, int) else None


def _enumerator(kind: Enum, value: int | None) -> str:
    return _UNKNOWN if value is None else kind.table.names.get(value, str(value))


def _is_access(type_: Type | None) -> bool:
    """Return whether a type that is described by the structure of an unconstrained array is one of
    access values: GNAT describes it as a typedef of the structure."""
    while isinstance(type_, Qualified):
        type_ = type_.target
    return isinstance(type_, Typedef)


def _fortran(struct_type: Struct) -> Iterator[str]:
    name = struct_type.name or "{...}"
    yield f"Type {name}"
    yield from shortened(_fortran_components(struct_type), "    ...")
    yield f"End Type {name}"


def _fortran_components(struct_type: Struct) -> Iterator[str]:
    for member in struct_type.members:
        bare, own = strip(member.type), member.name or ""  # of C, a union may have none
        form = bare.form if isinstance(bare, Dynamic) else bare
        if isinstance(form, Array) and not is_string(form):
            spelled = f"{fortran_name(form.element)}{allocatable(bare)} :: {own}"
            yield f"    {spelled}({fortran_dimensions(form, is_whole=form is bare)})"
        elif isinstance(form, Pointer):
            yield f"    PTR TO -> ( {fortran_name(form.target)} :: {own} )"
        else:
            yield f"    {fortran_name(bare)} :: {own}".rstrip()


def _ada(form: Type | None) -> str:
    if isinstance(form, Enum):
        return f"({', '.join(shortened(_ada_enumerators(form), '...'))})"
    if isinstance(form, Base) and form.base.scale is not None:
        scale = form.base.scale
        return f"<{form.size_bytes}-byte fixed point (small = {scale})>"
    if isinstance(form, Array):
        spelled, element = _ada_array(form), strip(form.element)
        if spelled.endswith(OF_TASK) and isinstance(element, Struct):  # shown in full, as in GDB
            return spelled.removesuffix(OF_TASK) + "\n".join(_record(element))
        return spelled
    if form is None:
        return "<void>"
    return _ada_base(form) if isinstance(form, Base) else ada_name(form)


def _ada_enumerators(kind: Enum) -> Iterator[str]:
    following = 0
    for name, value in kind.enumerators:
        yield name if value == following else f"{name} => {value}"
        following = value + 1


def _ada_base(base: Base) -> str:
    """Return what GDB prints of a type of numbers or characters."""
    encoding, values = base.base.encoding, base.range
    is_character = encoding in CHARACTERS
    if values is not None and values.is_modular:
        upper = _ends(values)[1]
        return f"mod {_UNKNOWN if upper is None else upper + 1}"
    if values is not None:
        kind = CharacterKind(base.size_bytes, style="ada")

        def spelled(end: int | None) -> str:
            if end is None:
                return _UNKNOWN
            if encoding == "boolean" and end in (0, 1):
                return ("false", "true")[end]
            return quoted_character(end, kind) if is_character else str(end)

        return f"range {' .. '.join(map(spelled, _ends(values)))}"
    if is_character:
        return f"<{ada_name(base)}>"
    if encoding == "boolean":
        return "(false, true)"
    word = {"signed": "integer", "unsigned": "integer", "float": "float"}.get(encoding)
    return ada_name(base) if word is None else f"<{base.size_bytes}-byte {word}>"


def _ada_array(form: Array) -> str:
    element, stride = strip(form.element), form.strides_bits[-1] if form.strides_bits else None
    spelled = ada_name(evolve(form, own_name=None))
    is_packed = isinstance(element, Base | Enum) and stride is not None and stride % 8
    return f"{spelled} <packed: {stride}-bit elements>" if is_packed else spelled


def _record(struct_type: Struct) -> Iterator[str]:
    parent = next((member for member in struct_type.members if member.name == PARENT), None)
    is_tagged = any(member.name == TAG for member in struct_type.members)
    of_root = "tagged record" if is_tagged else "record"
    first = of_root if parent is None else f"new {ada_name(parent.type)} with record"
    members = [
        member for member in struct_type.members if member.name != PARENT and not is_added(member)
    ]
    if not members and not struct_type.declared.variant_parts:
        yield f"{first} null; end record"
        return
    yield first
    components = _components(members, struct_type.declared.variant_parts, 4)
    yield from shortened(components, "    ...")
    yield "end record"


def _components(
    members: list[Member] | tuple[Member, ...], parts: tuple[VariantPart, ...], indent: int
) -> Iterator[str]:
    margin = " " * indent
    for member in members:
        bare = strip(member.type)
        form = bare.form if isinstance(bare, Dynamic) else bare
        spelled = _ada_array(form) if isinstance(form, Array) else ada_name(member.type)
        yield f"{margin}{member.name or ''}: {spelled};"
    for part in parts:
        discriminant = part.discriminant
        yield f"{margin}case {'?' if discriminant is None else discriminant.name} is"
        bare = None if discriminant is None else strip(discriminant.type)
        for variant in part.variants:
            is_empty = not variant.members and not variant.parts
            null = " null;" if is_empty else ""
            yield f"{margin}    when {_choices(variant, bare)} =>{null}"
            yield from _components(variant.members, variant.parts, indent + 8)
        yield f"{margin}end case;"


def _choices(variant: Variant, discriminant: Type | None) -> str:
    """Return `red | 3 .. 5`, `others`."""
    if not variant.values:
        return "others"
    mask = (1 << min(size_bits(discriminant) or 64, MAX_BITS)) - 1
    names: dict[int, str] = {}
    if isinstance(discriminant, Enum):
        names = discriminant.table.names
    elif isinstance(discriminant, Base) and discriminant.base.encoding == "boolean":
        names = {0: "false", 1: "true"}

    def spelled(value: int) -> str:
        bits = value & mask  # the file may write either number of them
        return names.get(bits) or names.get(bits - mask - 1) or str(value)

    return " | ".join(
        spelled(low) if low == high else f"{spelled(low)} .. {spelled(high)}"
        for low, high in variant.values
    )
