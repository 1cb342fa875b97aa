"""Structures with the offset and size of each member, as GDB's `ptype/o` prints them.

Law: places come from the type alone; a member with a dynamic place has none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.constants import AsInCplusplus
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import (
    MAX_CHAIN,
    Array,
    Function,
    Member,
    MemberPointer,
    Pointer,
    Struct,
    Type,
    Typedef,
    denoted,
    strip,
    unqualified,
    without_typedefs,
)
from dwarfgpu.view.local_names import LocalNames
from dwarfgpu.view.type_layout import member_bits
from dwarfgpu.view.type_text import (
    Definition,
    Labels,
    listed_members,
    needs_labels,
    without_own_name,
)

_HEADER: Final = "/* offset      |    size */  "
_COLUMN: Final = 27
"""Characters before what `ptype` prints."""
_BLANK: Final = " " * _COLUMN
_DEEPEST: Final = 100
_QUALIFIERS: Final = {"const": "const", "volatile": "volatile", "atomic": "_Atomic"}
"""How they are written, in GDB's order."""


def offset_text(
    type_: Type | None,
    *,
    cplusplus: AsInCplusplus = False,
    is_hexadecimal: bool = False,
    has_methods: bool = False,
    has_typedefs: bool = False,
    is_raw: bool = False,
) -> str | None:
    """Yield `/* offset      |    size */  type = struct s {…}`, with the holes; also for a
    pointer to a structure, an array of them or a function that returns one. None if the type
    contains no structure.

    As in GDB, the column titles appear for a structure only, not for a typedef.
    """
    if not isinstance(_leaf(type_), Struct):
        return None
    offsets = _Offsets(
        cplusplus,
        is_hexadecimal=is_hexadecimal,
        has_methods=has_methods,
        has_typedefs=has_typedefs,
        is_raw=is_raw,
    )

    def shown_as(part: Type | None) -> str | Type | None:
        if isinstance(part, Typedef):
            return without_typedefs(part)
        if isinstance(part, Struct):
            return "\n".join(offsets.structure(part, 0, 0, 0, LocalNames()))
        return without_own_name(part) if isinstance(part, Pointer | Array) else part

    header = _HEADER if isinstance(unqualified(type_), Struct) else ""
    return f"{header}type = {type_name(type_, cplusplus=cplusplus, shown_as=shown_as)}"


def _leaf(type_: Type | None) -> Type | None:
    """Return the innermost element type of a type; of a function, that of what it returns."""
    for _ in range(MAX_CHAIN):
        type_ = strip(type_)
        if isinstance(type_, Pointer | MemberPointer):
            type_ = type_.target
        elif isinstance(type_, Function):
            type_ = type_.result
        elif isinstance(type_, Array):
            type_ = type_.element
        else:
            break
    return type_


class _Offsets:
    def __init__(
        self,
        cplusplus: AsInCplusplus,
        *,
        is_hexadecimal: bool,
        has_methods: bool,
        has_typedefs: bool,
        is_raw: bool,
    ) -> None:
        self.cplusplus = cplusplus
        self.number = _hexadecimal if is_hexadecimal else _decimal
        self.around: list[Struct] = []
        """The enclosing structures of the current member, outermost first."""
        self.definition = Definition(
            cplusplus,
            has_methods=has_methods,
            has_typedefs=has_typedefs,
            is_raw=is_raw,
            structure=self._element,
        )

    def _element(
        self, struct_type: Struct, levels: int, indent: int, names: LocalNames
    ) -> Iterator[str]:
        """Yield a structure without a name, behind an array or a pointer: offsets in it begin at 0.

        As in GDB, it has no padding and no total size.
        """
        return self.structure(struct_type, indent, 0, 0, names, levels=levels)

    def structure(
        self,
        struct_type: Struct,
        level: int,
        base_bits: int,
        end: int,
        names: LocalNames,
        *,
        levels: int = 1,
    ) -> Iterator[str]:
        """Yield the structure from its title on; members of nested structures have offsets in the
        whole.

        `end`: that of the member before it, counted in the enclosing structure. GDB continues from
        there, so that holes can appear before a first member, and after the members of a union.
        `levels`: as in `Definition.text`; at 0, padding and total size are left out.
        """
        declared = struct_type.declared
        inner, local = self.definition.names_inside(struct_type, names)
        yield self.definition.title(struct_type, names, inner)
        fields = _in_order(listed_members(struct_type))
        is_empty = not (struct_type.members or fields or declared.methods or declared.typedefs)
        if struct_type.is_declaration or is_empty:
            empty = "<incomplete type>" if struct_type.is_declaration else "<no data fields>"
            yield _BLANK + " " * (level + 4) + empty
        labels = Labels(_BLANK + " " * (level + 2))
        is_labelled = needs_labels(struct_type)
        self.around.append(struct_type)
        for field in fields:
            if field.is_artificial or self.definition.is_too_much():
                continue
            if is_labelled:
                yield from labels.before(field.access)
            if struct_type.kind != "union" and field.bit_offset is not None and not field.is_static:
                yield from _hole(end, field.bit_offset, "hole")
                end = field.bit_offset + (member_bits(field) or 0)
            offset_text = _offset_text(struct_type, field, base_bits, self.number)
            yield from self._member(field, level + 4, offset_text, base_bits, end, local, levels)
        self.around.pop()
        margin = _BLANK + " " * (level + 4)
        yield from self.definition.functions_and_typedefs(
            struct_type, levels, margin, labels, inner, local
        )
        if self.definition.members_left < 0:
            yield margin + "..."
        if levels > 0:
            size = size_bits(struct_type) or 0
            yield from _hole(end, size, "padding")
            yield ""
            yield f"{_BLANK}{' ' * (level + 4)}/* total size (bytes): {size // 8:4} */"
        yield _BLANK + " " * (level or 2) + "}"

    def _member(
        self,
        member: Member,
        level: int,
        offset_text: str,
        base_bits: int,
        end: int,
        names: LocalNames,
        levels: int,
    ) -> Iterator[str]:
        """Yield a member; one that is a structure itself with its members, unless it has the name
        of a parameter of the template, as in GDB."""
        margin, kind = " " * level, unqualified(member.type)
        is_cycle = kind in self.around and not member.is_static  # nothing can contain itself
        is_shown = not is_cycle and not member.is_static and level < 4 * _DEEPEST
        if not is_shown or not isinstance(kind, Struct) or names.of(kind) is not None:
            error = ""
            if is_cycle:
                error = f" <error: {type_name(kind, cplusplus=self.cplusplus)} contains itself>"
            declared = self.definition.member(member, levels - 1, level, names)
            yield f"{offset_text}{margin}{declared};{error}"
            return
        begin = base_bits + (member.bit_offset or 0)
        before = end - (size_bits(kind) or 0)
        title, *inner_lines = self.structure(kind, level, begin, before, names, levels=levels)
        qualifiers = denoted(member.type).qualifiers
        qualified = "".join(f"{word} " for name, word in _QUALIFIERS.items() if name in qualifiers)
        yield f"{offset_text}{margin}{qualified}{title}"
        *lines, last = inner_lines
        yield from lines
        yield f"{last}{'' if member.name is None else f' {member.name}'};"


def _in_order(members: list[Member]) -> list[Member]:
    """Return the members as GDB lists them with offsets: those of Rust by their offsets, which
    rustc assigns in another order than that of the source; in other languages as declared."""
    entry = members[0].die if members else None
    if entry is None or entry.unit.language != dw.LANG_RUST:
        return members
    return sorted(members, key=lambda member: member.bit_offset or 0)


def _decimal(number: int) -> str:
    return f"{number:6}"


def _hexadecimal(number: int) -> str:
    return f"{number:#06x}"


def _offset_text(
    struct_type: Struct, member: Member, base_bits: int, number: Callable[[int], str]
) -> str:
    """Return the first column: offset, for bit-fields with the bit, and size of the type in
    bytes."""
    if member.is_static:
        return _BLANK
    size = number((size_bits(member.type) or 0) // 8)
    if struct_type.kind == "union":
        return f"/*{'':16}{size} */"
    if member.bit_offset is None or member.location is not None:
        return f"/*{'?':>7}      |  {size} */"
    bit_offset = base_bits + member.bit_offset
    of_byte = f" {bit_offset % 8:#x}" if number is _hexadecimal else f"{bit_offset % 8:2} "
    bit = f":{of_byte:<4}" if member.is_bit_field or bit_offset % 8 else "     "
    return f"/* {number(bit_offset // 8)}{bit} |  {size} */"


def _hole(end: int, begin: int, noun: str) -> Iterator[str]:
    """Yield the unused bits after a member."""
    if not 0 < end < begin:
        return
    count_bytes, count_bits = divmod(begin - end, 8)
    if count_bits:
        yield f"/* XXX {count_bits:2}-bit {noun:<7}    */"
    if count_bytes:
        yield f"/* XXX {count_bytes:2}-byte {noun:<7}   */"
