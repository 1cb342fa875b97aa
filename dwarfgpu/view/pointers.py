"""Pointers, references and pointers to members as GDB prints them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.arch.abi import NO_ABI
from dwarfgpu.base.bits import signed
from dwarfgpu.base.limits import Limits
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.constants import WITH_TYPES_OF_C, Style
from dwarfgpu.dwarf.names.type_names import method_name, type_name
from dwarfgpu.dwarf.types.dynamic_types import is_dynamic
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import (
    SYSTEM_ADDRESS,
    Array,
    Base,
    Dynamic,
    Function,
    Member,
    MemberPointer,
    Pointer,
    Struct,
    Type,
    declared_name,
    denoted,
    strip,
    unqualified,
)
from dwarfgpu.errors import Unavailable, UndefinedBits
from dwarfgpu.model.object import Bits
from dwarfgpu.session.object_contents import readable_bits
from dwarfgpu.view.format_options import OPTIMIZED_OUT
from dwarfgpu.view.object_bits import ObjectBytes
from dwarfgpu.view.object_printer import Shown, Whole
from dwarfgpu.view.printer_text import object_of, pieces_of
from dwarfgpu.view.strings import MOST_CHARACTERS, CharacterKind, character_kind

_CHARACTERS: Final = frozenset({"char", "wchar_t", "char16_t", "char32_t"})
"""Names of types to which pointers are shown without their own."""
_MOST_READS: Final = 4096
"""Of parts of an object of a GPU that cannot be read as a whole: halves of halves, to the byte."""
_PERHAPS_MORE: Final = " <perhaps with more components: the tag leads to no type>"
_MOST_BASES: Final = 1_000
"""Maximum number of classes that are searched for the target of a pointer to a member."""


def is_system_address(type_: Type | None, style: Style) -> bool:
    """Return whether it is the type System.Address of Ada, which GNAT describes as a number; types
    derived from it are shown as numbers, as in GDB."""
    return style == "ada" and isinstance(type_, Base) and type_.name == SYSTEM_ADDRESS


def is_untyped_pointer(type_: Type | None) -> bool:
    """Return whether it is a pointer to characters, which is shown without its type."""
    bare = unqualified(type_)
    if not isinstance(bare, Pointer) or bare.kind != "pointer":
        return False
    return declared_name(unqualified(bare.target)) in _CHARACTERS


def pointer_text(shown: Shown, type_: Type | None, bare: Pointer, number: int, depth: int) -> str:
    """Return `(int *) 0x4508 <g+40>`, a string with its characters; without the type inside other
    objects; `null` for that literal of Ada."""
    if shown.options.style == "ada" and type_ is bare and bare.target is None and not number:
        return "null"  # which is of no access type; a System.Address has a name
    is_named = shown.options.symbol or isinstance(strip(bare.target), Function)
    text = shown.printed_address(number, bare.address_space, symbol=is_named)
    if depth == 0 and shown.options.pointer_types and not is_untyped_pointer(type_):
        named = bare if shown.options.style == "ada" else type_
        text = f"({shown.type_name(named)}) {text}"
    kind = strip(bare.target)
    is_number = isinstance(kind, Base) and kind.is_byte  # as u8 of Rust, where no text ends in NUL
    characters = character_kind(bare.target, shown.options.style, is_text=not is_number)
    is_text = characters is not None and shown.options.style in WITH_TYPES_OF_C
    if characters is None or not is_text or shown.read_memory is None or number == 0:
        return text
    return f"{text} {pointed_string(shown, number, bare.address_space, characters)}".lstrip()


def pointed_string(shown: Shown, address: int, space: int, kind: CharacterKind) -> str:
    """Return the characters up to a NUL, the limit, or the first that cannot be read."""
    from dwarfgpu.access.read_string import string_at  # few variables are strings

    width, most = kind.unit_bytes, min(shown.options.most_characters, MOST_CHARACTERS)
    read = string_at(lambda start, size: shown.read(start, space, size), address, width, most + 1)
    if not read.is_readable:
        error = f"<error: {shown.no_access(address + len(read.data), space, width)}>"
        return (shown.quoted(read.data, kind, is_cut=False) if read.data else "") + error
    if read.is_ended:
        return shown.quoted(read.data, kind, is_cut=False)
    return shown.quoted(read.data[:-width], kind, is_cut=True)


def reference_pieces(
    shown: Shown, type_: Type | None, bare: Pointer, number: int, depth: int, letter: str | None
) -> Iterator[str]:
    """Yield `@0x…`; at the top level with its type, and with its target also where that is shown
    inside of other objects."""
    space = bare.address_space
    if letter != "r" and not shown.options.raw and bare.kind == "reference":
        referred = evolve(
            object_of(shown, bare.target, 0), enclosing=None, address=number, space=space
        )
        printed = pieces_of(shown, referred, depth, letter) if shown.read_memory else None
        if printed is not None:
            yield from printed
            return
    referred_type = strip(bare.target)
    is_record = isinstance(referred_type, Dynamic) and isinstance(referred_type.form, Struct)
    if shown.options.summary and (is_record or isinstance(referred_type, Struct | Array)):
        yield "..."
        return
    address_text = (
        "@" + shown.address_text(number, space, symbol=False) if shown.options.address else ""
    )
    is_ada = shown.options.style == "ada" and shown.read_memory is not None
    type_text = "" if depth else f"({shown.type_name(type_)}) "
    if not is_ada and depth >= shown.options.max_depth and _has_levels(shown, bare.target):
        yield type_text + "{...}"  # as in GDB, without the address
        return
    if depth and not shown.has_targets:
        yield address_text
        return
    unread = _unread_target(shown, bare, number)
    if unread is not None:
        shown.report(unread)
        address_text = f"<error reading variable: {unread.message}>"
    if not is_ada:  # as in GDB, where Ada's parameters are their objects
        yield type_text + address_text
    if unread is not None or shown.read_memory is None:
        return
    colon = ": " if address_text and not is_ada else ""
    level = depth + 1 if is_ada else depth  # as in GDB
    target = bare.target
    is_whole, whole = True, None
    resolver = shown.resolver
    if resolver is not None and not space:
        location = resolver.at(number)
        try:
            placed = resolver.referent(target, location)
        except UndefinedBits:
            if not is_ada:
                raise
            yield OPTIMIZED_OUT  # an array whose bounds are
            return
        if placed.type is not target or is_dynamic(target):
            yield colon
            target_object = evolve(shown, whole=Whole(location, resolver))
            yield from target_object.placed(placed, None, level, letter)
            if not placed.is_whole:
                yield _PERHAPS_MORE
            return
        is_whole, whole = placed.is_whole, Whole(location, resolver)
    if isinstance(function := strip(target), Function):  # as in GDB, not the name of a typedef
        yield f"{colon}{{{shown.type_name(function)}}} {shown.printed_address(number, space)}"
        return
    size = size_bits(target)
    if size is None and isinstance(strip(target), Struct):
        yield f"{colon}{shown.incomplete_text(target)}"
        return
    if size is None and is_ada:
        yield OPTIMIZED_OUT
    if size is None:
        return
    yield colon
    limits = _limits(shown)
    readable = readable_bits(target, size, limits)
    limits.check_object(readable)
    contents = _referent(shown, bare, number, readable)
    if contents is None:  # of Ada
        yield shown.error_text(Unavailable(shown.no_access(number, space, (readable + 7) // 8)))
        return
    inner = evolve(
        shown,
        object=contents,
        address=None if space else number,
        whole=whole,
        is_cut=readable < size,
        bases=None,
    )
    is_aggregate = isinstance(strip(target), Struct | Array)
    yield from inner.value(target, 0, level if is_aggregate else max(depth, 1), letter)
    if not is_whole:
        yield _PERHAPS_MORE


def _has_levels(shown: Shown, target: Type | None) -> bool:
    """Return whether `set print max-depth` counts an object: text is no level."""
    kind = strip(target)
    if isinstance(kind, Array):
        is_row = len(kind.dimensions) > 1
        return is_row or character_kind(kind.element, shown.options.style) is None
    return isinstance(kind, Struct)


def _unread_target(shown: Shown, bare: Pointer, number: int) -> Unavailable | None:
    """Return why the target of a reference cannot be read; None for one that can, and where it is
    a function, has no size, or is not shown."""
    target = bare.target
    if shown.read_memory is None or shown.options.style == "ada" or is_dynamic(target):
        return None
    size = None if isinstance(strip(target), Function) else size_bits(target)
    readable = readable_bits(target, size or 0, _limits(shown))
    if not 0 < readable <= 8 * _limits(shown).read_bytes:
        return None
    if _referent(shown, bare, number, readable) is not None:
        return None
    return Unavailable(shown.no_access(number, bare.address_space, (readable + 7) // 8))


def _limits(shown: Shown) -> Limits:
    return Limits() if shown.resolver is None else shown.resolver.limits


def _referent(shown: Shown, bare: Pointer, number: int, size_bits: int) -> ObjectBytes | None:
    """Return the bytes of the target of a reference, on a GPU as far as they are known: a kernel
    never writes padding. None where none is."""
    space, size = bare.address_space, (size_bits + 7) // 8
    data = shown.read(number, space, size)
    if data is not None:
        return ObjectBytes(data, None, None, 8 * size, shown.object.endian)
    if shown.architecture is None or not shown.architecture.is_simt:
        return None
    return _known_in_part(shown, number, space, size)


def _known_in_part(shown: Shown, address: int, space: int, size: int) -> ObjectBytes | None:
    """Return the bytes of memory that are known; None where none is, or too many parts are not."""
    known, unknown = bytearray(size), bytearray(b"\xff" * size)
    reads, pending = 0, [(0, size)]
    while pending and reads < _MOST_READS:
        begin, count = pending.pop()
        reads += 1
        part = shown.read(address + begin, space, count)
        if part is not None:
            known[begin : begin + count], unknown[begin : begin + count] = part, bytes(count)
        elif count > 1:
            half = count // 2
            pending += [(begin + half, count - half), (begin, half)]
    if pending or 0 not in unknown:
        return None
    return ObjectBytes(bytes(known), None, bytes(unknown), 8 * size, shown.object.endian)


def member_pointer_text(shown: Shown, kind: MemberPointer, number: int, size_bits: int) -> str:
    """Return `&Point::x`, `(int (Point::*)(...)) 0x4508 <...>`, `&virtual Point::f(int)` or
    `NULL`."""
    if isinstance(strip(kind.target), Function):
        return _method_pointer_text(shown, kind, number, size_bits)
    if number == (1 << size_bits) - 1:
        return "NULL"
    return _member_at(kind, 8 * number) or str(signed(number, size_bits))


def _member_at(kind: MemberPointer, bit_offset: int) -> str | None:
    """Return `&Class::x`, with the class or base class that declares the member at an offset,
    perhaps in an unnamed structure or union; None without one."""
    for owner, bare, offset in _classes_at(kind.container, bit_offset):
        member = None if bare.kind == "union" else bare.index.at_bits.get(offset)
        member = member or _of_several_at(bare, offset, kind.target)
        if member is not None:
            return f"&{type_name(owner, cplusplus=True)}::{member.name}"
    return None


def _of_several_at(struct_type: Struct, bit_offset: int, target: Type | None) -> Member | None:
    """Return the member at an offset of a union, or in an unnamed member, which is a member of the
    class itself (C++ [class.union.anon]): of several the first one of the type."""
    named: list[Member] = []
    pending = [(struct_type, bit_offset)]
    for _ in range(_MOST_BASES):
        if not pending:
            break
        inside, offset = pending.pop(0)
        for member in inside.members:
            kind = strip(member.type)
            if member.is_base_class or member.bit_offset is None or member.location is not None:
                continue
            if not member.name and isinstance(kind, Struct):
                pending.append((kind, offset - member.bit_offset))
            elif member.name and member.bit_offset == offset and member.bit_size is None:
                named.append(member)
    wanted = _spelled(target)
    return next((one for one in named if _spelled(one.type) == wanted), named[0] if named else None)


def _spelled(type_: Type | None) -> tuple[str, list[str]]:
    """Return a type below typedefs, as several units have it, and its qualifiers."""
    below = denoted(type_)
    return type_name(below.bare, cplusplus=True), sorted(below.qualifiers)


def _classes_at(
    class_type: Type | None, bit_offset: int
) -> Iterator[tuple[Type | None, Struct, int]]:
    """Yield a class and its base classes, the outermost first, each with the offset from its
    beginning; no virtual base, whose place only an object says."""
    pending = [(class_type, bit_offset)]
    for _ in range(_MOST_BASES):
        if not pending:
            break
        owner, offset = pending.pop(0)
        bare = strip(owner)
        if not isinstance(bare, Struct):
            continue
        yield owner, bare, offset
        for member in bare.index.bases:
            if member.location is None and member.bit_offset is not None:
                pending.append((member.type, offset - member.bit_offset))


def _virtual_at(class_type: Type | None, bit_offset: int, slot: int) -> str | None:
    """Return the function in a slot of the table that an object has at an offset, by the outermost
    class there that declares it; None without one. A class shares the table of its primary base
    class, which begins where it does (Itanium 2.4)."""
    for owner, bare, offset in _classes_at(class_type, bit_offset):
        for method in bare.declared.methods if not offset else ():
            if method.is_virtual and method.slot_index == slot:
                return method_name(owner, method)
    return None


def _method_pointer_text(shown: Shown, kind: MemberPointer, number: int, size_bits: int) -> str:
    """Return two addresses by the Itanium C++ ABI: the function or its slot, and the adjustment of
    `this`.

    The lowest bit marks a virtual function: on AArch64 in the second address, elsewhere in the
    first.
    """
    half, endian = size_bits // 2, shown.object.endian
    pair = Bits(number, size_bits)
    first, second = (pair.slice(n * half, half, endian).value for n in (0, 1))
    abi = NO_ABI if shown.architecture is None else shown.architecture.abi
    if abi.is_null_function(first, second):
        return "NULL"
    # AArch64 marks a slot in the adjustment, which is twice as large there.
    in_second = abi.marks_virtual_in_second
    added = signed(second, half) >> (1 if in_second else 0)
    if (second if in_second else first) & 1:
        offset = first if in_second else first - 1
        name = _virtual_at(kind.container, 8 * added, 8 * offset // half)
        if name is not None:
            return f"&virtual {name}"
        text = f"&virtual table offset {signed(offset, half)}"
    else:
        # Languages with other words for types have none for it.
        cplusplus = shown.options.cplusplus or shown.options.style not in WITH_TYPES_OF_C
        name = type_name(kind, cplusplus=cplusplus)
        text = f"({name}) {shown.printed_address(first)}"
    return f"{text}, this adjustment {added}" if added else text
