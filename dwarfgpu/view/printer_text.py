"""What printers say, as GDB writes what its pretty-printers say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

from dwarfgpu.base.arguments import require
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Pointer, Struct, Type, strip, strip_reference
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.view.format_options import FormatOptions
from dwarfgpu.view.object_printer import Shown, Whole
from dwarfgpu.view.printers.printed_object import Object, UnexpectedLayout
from dwarfgpu.view.printers.printer import (
    UNGUARDED,
    Characters,
    Printed,
    Printer,
    PrinterFailed,
    SummaryPart,
    children_of,
    summary_parts,
)
from dwarfgpu.view.strings import CharacterKind, character_kind

_POINTER_BITS = 64


def printed_pieces(
    shown: Shown, struct_type: Struct, first_bit: int, depth: int, letter: str | None
) -> Iterator[str] | None:
    """Return an object of a class as its printer shows it; None if it has none, or the printer
    needs what is unknown."""
    if letter == "r" or shown.options.raw:
        return None
    size = size_bits(struct_type)
    if size is None or first_bit + size > shown.object.size_bits:
        return None
    value = object_of(shown, struct_type, first_bit)
    if shown.object.known_bytes(first_bit, size) is None:
        return _pieces_of_partly_known(shown, value, depth, letter)
    return pieces_of(shown, value, depth, letter)


def _pieces_of_partly_known(
    shown: Shown, value: Object, depth: int, letter: str | None
) -> Iterator[str] | None:
    """Return the same for an object with unknown bits, as the padding of a structure in registers
    is; None if its printer needs them: its members show which part is unknown."""
    try:
        printed = printed_of(partial(_printer_of, shown), value)
        if printed is None:
            return None
        if printed.children is not None:
            children = tuple(islice(children_of(printed), shown.options.elements + 1))
            printed = evolve(printed, children=children)
    except (UnexpectedLayout, DwarfGpuError):
        return None
    return _pieces(shown, printed, depth, letter)


def has_printer(type_: Type | None, options: FormatOptions) -> bool:
    """Return whether a printer shows objects of a type, or the targets of its references."""
    bare = strip_reference(type_)
    return not options.raw and isinstance(bare, Struct) and options.printers.of(bare) is not None


def pieces_of(shown: Shown, value: Object, depth: int, letter: str | None) -> Iterator[str] | None:
    """Return the same for an object that is read on demand."""
    try:
        printed = printed_of(partial(_printer_of, shown), value)
        if printed is None:
            return None
        shown.printings.add()
        return _pieces(shown, printed, depth, letter)
    except UnexpectedLayout:
        return None
    except DwarfGpuError as error:
        return iter((_error(shown, error),))


def _printer_of(shown: Shown, struct_type: Struct) -> Printer | None:
    """Return the printer of a class, looked up once."""
    if struct_type not in shown.printers_of:
        shown.printers_of[struct_type] = shown.options.printers.of(struct_type)
    return shown.printers_of[struct_type]


def printed_of(find: Callable[[Struct], Printer | None], value: Object) -> Printed | None:
    """Return what the printer of an object produces; None if it has none. Raises
    `UnexpectedLayout` and errors.

    `find`: a class to its printer.
    """
    bare = strip(value.type)
    printer = find(bare) if isinstance(bare, Struct) else None
    if printer is None:
        return None
    printed = printer.show(value)
    require(f"printer {printer.name}: its result", printed, Printed)
    if printed.wrapped is None:
        return printed
    try:
        with printed.guard:
            inner = printed_of(find, printed.wrapped)
    except UnexpectedLayout:
        inner = None
    if inner is None or inner.children is None:
        return printed
    inner_summary = summary_parts(inner)
    summary = (printed.lead, *inner_summary) if inner_summary else summary_parts(printed)
    is_unnamed = printed.form == "array" and inner.form == "members" and inner.wrapped is None
    form = "array" if is_unnamed else inner.form  # as in libstdc++, of a variant
    guard = inner.guard if printed.guard is UNGUARDED else printed.guard
    return Printed(summary or None, inner.children, form, wrapped=printed.wrapped, guard=guard)


def object_of(shown: Shown, type_: Type | None, first_bit: int) -> Object:
    """Return a part of the printed object, for its printer."""
    arch = shown.architecture
    default = None if arch is None else arch.address_spaces.get(0)
    pointer_bits = _POINTER_BITS if default is None else default.address_bits
    address = None if shown.address is None else shown.address + first_bit // 8
    return Object(
        type_,
        shown.object.endian,
        pointer_bits // 8,
        shown.read_memory,
        shown.object,
        first_bit,
        address,
        class_of_method=shown.class_of_method,
        is_in_c=shown.options.language == (False, "c"),
        layouts=shown.layouts,
    )


def _pieces(shown: Shown, printed: Printed, depth: int, letter: str | None) -> Iterator[str]:
    if letter not in (None, "s") and printed.formatted is not None:
        printed = printed.formatted
    summary = summary_parts(printed)
    for part in summary:
        try:
            with printed.guard:
                yield from _summary(shown, part, depth, letter)
        except PrinterFailed as error:
            yield _error(shown, error)
    if printed.children is not None:
        yield from _children(shown, printed, bool(summary), depth, letter)


def _summary(shown: Shown, part: SummaryPart, depth: int, letter: str | None) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, Characters):
        yield from _characters(shown, part)
    else:
        is_pointer = isinstance(strip(part.type), Pointer)  # shown without its type, as in a member
        try:
            yield from object_pieces(shown, part, max(depth, int(is_pointer)), letter)
        except DwarfGpuError as error:
            yield _error(shown, error)


def _characters(shown: Shown, text: Characters) -> Iterator[str]:
    """Yield as many as are shown; GDB's words where they cannot be read."""
    kind = character_kind(text.first.type) or CharacterKind(1)
    if not text.count:
        yield shown.quoted(b"", kind, is_cut=False, has_length=True)
        return
    most = min(shown.options.most_characters, shown.options.characters)
    count = max(0, min(text.count, most))
    try:
        data = text.first.memory(count * kind.unit_bytes)
    except DwarfGpuError:
        yield from _readable(shown, text, kind, count)
        return
    yield shown.quoted(data, kind, is_cut=count < text.count, has_length=True)


def _readable(shown: Shown, text: Characters, kind: CharacterKind, count: int) -> Iterator[str]:
    """Yield the characters before the first that cannot be read, and that one's address."""
    encoded = bytearray()
    for index in range(count):
        element = text.first.part(text.first.type, 8 * index * kind.unit_bytes)
        try:
            encoded += element.memory(kind.unit_bytes)
        except DwarfGpuError as error:
            if encoded:
                yield shown.quoted(bytes(encoded), kind, is_cut=True, has_length=True)
            yield f"<error: {error.message}>"
            return


def _children(
    shown: Shown, printed: Printed, has_summary: bool, depth: int, letter: str | None
) -> Iterator[str]:
    options, form = shown.options, printed.form
    is_pretty = options.array if form == "array" else options.pretty
    new_line = "\n" + "  " * (depth + 1) if is_pretty else ""
    count, is_whole = 0, False
    children = children_of(printed)
    while True:
        try:
            with printed.guard:
                child = next(children, None)
                if child is None:
                    is_whole = True
                    break
                name, value = child
                value = value if isinstance(value, str) else value.read()
        except UnexpectedLayout as unfit:
            yield f"<error reading variable: {unfit}>"
            break
        except DwarfGpuError as error:
            yield _error(shown, error)
            break
        if count >= options.elements:
            break
        if not count:
            yield " = " if has_summary else ""
            if depth >= options.max_depth or options.summary:
                yield "{...}"
                return
            yield "{"
        is_key = form == "map" and not count % 2
        if count and (form != "map" or is_key):
            yield "," if is_pretty else ", "
        shown.printings.add()
        yield from _label(shown, form, name, count, new_line)
        count += 1
        try:
            with printed.guard:
                yield from _child(shown, value, is_key, depth + 1, letter)
        except PrinterFailed as error:
            yield _error(shown, error)
        yield "] = " if is_key else ""
    if count:
        yield "" if is_whole else f"{new_line}..."
        yield "\n" + "  " * depth + "}" if is_pretty else "}"


def _label(shown: Shown, form: str, name: str, count: int, new_line: str) -> Iterator[str]:
    """Yield the text before a child."""
    if form != "map" or not count % 2:
        yield new_line
    if form == "map":
        yield "" if count % 2 else "["
    elif form == "array":
        yield f"[{count}] = " if shown.options.array_indexes else ""
    else:
        yield f"{name} = "


def _child(
    shown: Shown, value: Object | str, is_key: bool, depth: int, letter: str | None
) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        return
    if is_key:  # which is shown one level deeper than what it leads to
        options = evolve(shown.options, max_depth=shown.options.max_depth + 1)
        shown = evolve(shown, options=options)
    yield from object_pieces(shown, value, depth, letter)


def object_pieces(shown: Shown, value: Object, depth: int, letter: str | None) -> Iterator[str]:
    """Yield the pieces of an object that a printer returns; raises errors of reading it."""
    try:
        if value.bit_size is not None:
            yield from shown.bit_field(value.type, value.bits(), depth, letter)
            return
        contents, first_bit = value.contents()
    except UnexpectedLayout as unfit:
        yield f"<error reading variable: {unfit}>"
        return
    if contents is shown.object:
        yield from shown.value(value.type, first_bit, depth, letter)
        return
    start = None if value.address is None else value.address - first_bit // 8
    is_placed = start is not None and not value.space
    whole = None
    if shown.resolver is not None and start is not None and is_placed:
        whole = Whole(shown.resolver.at(start), shown.resolver)
    inner = evolve(
        shown,
        object=contents,
        address=start if is_placed else None,
        whole=whole,
        is_cut=False,
        bases=None,
    )
    yield from inner.value(value.type, first_bit, depth, letter)


def _error(shown: Shown, error: DwarfGpuError) -> str:
    shown.report(error)
    return f"<error reading variable: {error.message}>"
