"""`$dwarfgpu("EXPRESSION")` in GDB's own expressions, conditions and `display`."""

from __future__ import annotations

from contextlib import suppress

import gdb

from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.type_sizes import size_bytes
from dwarfgpu.dwarf.types.types import Pointer, Struct, Type, strip
from dwarfgpu.errors import Unsupported, UsageError
from dwarfgpu.gdb.gdb_session import Debugger, GdbSession
from dwarfgpu.gdb.machine.gdb_values import language_selected, value_bytes, without_calls
from dwarfgpu.gdb.one_line_errors import command
from dwarfgpu.gdb.same_types import is_same_type
from dwarfgpu.language import TypedValue
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.syntax.expression_language import language_of
from dwarfgpu.language.value_text import widened
from dwarfgpu.model.storage import Memory


class Function(gdb.Function):  # type: ignore[misc]  # gdb has no types
    """The value of an expression in the selected frame, as dwarfgpu reads its DWARF.

    Usage: $dwarfgpu("EXPRESSION")

    The result is a value of GDB: print $dwarfgpu("sp->in[1]").weight * 2, break 80
    if $dwarfgpu("n") > 3.
    A value in memory stays there, and is assignable. EXPRESSION itself cannot assign."""

    def __init__(self, debugger: Debugger) -> None:
        super().__init__("dwarfgpu")
        self.debugger = debugger

    def invoke(self, *arguments: gdb.Value) -> gdb.Value:
        """Evaluate an expression; GDB calls this."""
        with command():
            if len(arguments) != 1:
                raise UsageError(f"$dwarfgpu takes one text, not {len(arguments)} arguments")
            text = _text(arguments[0])
            session = self.debugger.session()
            value = session.evaluate(text, read_only="assignments are not possible in $dwarfgpu")
            return as_gdb_value(session, value, text)


def _text(value: gdb.Value) -> str:
    """Return a text of the language of GDB's expressions; Fortran and Rust have their own types."""
    code = value.type.strip_typedefs().code
    if code == gdb.TYPE_CODE_STRUCT and value.type.name == "&str":
        return str(value["data_ptr"].string("utf-8", "replace", int(value["length"])))
    if code in (gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_PTR):
        return str(value.string())
    if code == gdb.TYPE_CODE_STRING:
        byte = gdb.selected_inferior().architecture().integer_type(8, False)
        data = value_bytes(value.cast(byte.array(value.type.sizeof - 1)), "little")
        return data.decode("utf-8", "replace")
    raise UsageError('$dwarfgpu takes the text of an expression: $dwarfgpu("n + 1")')


def as_gdb_value(session: GdbSession, value: TypedValue, text: str) -> gdb.Value:
    """Return the value of an expression as one of GDB with the same type and contents, in the same
    memory if it has any.

    `Unsupported` if GDB has no such type; `UndefinedBits` and `Unavailable` for unknown bits, which
    GDB's Python cannot represent.
    """
    location = value.location
    objects = ObjectAccess(session)
    # No type points to a reference: GDB's Python makes one of what it refers to.
    reference = _reference(value)
    if (
        reference is None
        and location is not None
        and len(location.single_locations) == 1
        and value.bit_size is None
    ):
        single = location.single_locations[0]
        storage = single.storage
        if isinstance(storage, Memory) and not storage.space.number and not single.bit_offset % 8:
            address = single.bit_offset // 8
            pointer = gdb.Value(address).cast(_type_of(value, text, address).pointer())
            return pointer.dereference()
    bits = objects.known(value)
    endian = session.architecture.endian
    content = widened(value, bits, endian).to_bytes(endian)
    if reference is not None:
        target = gdb.Value(content, _gdb_type(reference.target, value).pointer()).dereference()
        is_rvalue = reference.kind == "rvalue_reference"
        return target.rvalue_reference_value() if is_rvalue else target.reference_value()
    return gdb.Value(content, _type_of(value, text))


def _reference(value: TypedValue) -> Pointer | None:
    kind = strip(value.type)
    return kind if isinstance(kind, Pointer) and kind.kind != "pointer" else None


def _type_of(value: TypedValue, text: str, address: int | None = None) -> gdb.Type:
    """Return GDB's type of the same name; that of its own value of the expression, if it is the
    same object, in Fortran, whose types have other names there, and for a type without a name.

    `Unsupported` where it has none.
    """
    if language_of(value.unit).is_fortran and (own := _own_type(value, text, address)) is not None:
        return own
    try:
        return _gdb_type(value.type, value)
    except Unsupported:
        if (own := _own_type(value, text, address)) is None:
            raise
        return own


def _own_type(value: TypedValue, text: str, address: int | None) -> gdb.Type | None:
    """Return the type of GDB's value of an expression; None unless address, size and members are
    those of the value."""
    with suppress(gdb.error, RuntimeError), without_calls():
        own = gdb.parse_and_eval(text)
        own_address = own.address
        if (None if own_address is None else int(own_address)) != address:
            return None
        kind = strip(value.type)
        names = {member.name for member in kind.members} if isinstance(kind, Struct) else set()
        bare = own.type.strip_typedefs()
        fields = {field.name for field in bare.fields()} if names else set()
        if own.type.sizeof == size_bytes(kind) and names - {None} <= fields:
            return own.type
    return None


def _gdb_type(wanted: Type | None, value: TypedValue) -> gdb.Type:
    """Return GDB's type with the name of one in the language of a value."""
    if wanted is None:
        raise UsageError("the expression is void: it has no value")
    cplusplus = value.unit is not None and value.unit.is_cplusplus
    name = type_name(wanted, cplusplus=cplusplus)
    pointer = type_name(Pointer(wanted), cplusplus=cplusplus)
    # GDB ends with an internal error (go_symbol_package_name) at types of C in expressions of Go.
    known = None if gdb.parameter("language") == "go" else _type_by_cast(pointer)
    if known is None:  # Ada and Pascal have other casts
        with language_selected("c++" if cplusplus else "c"):
            known = _type_by_cast(pointer)
    try:
        known = known or gdb.lookup_type(name)  # `integer(kind=4)` of Fortran is no type of C
    except gdb.error:
        raise Unsupported(f"GDB has no type named {name}") from None
    if not is_same_type(known, wanted):
        raise Unsupported(f"the type that GDB names {name} here is another one")
    return known


def _type_by_cast(pointer: str) -> gdb.Type | None:
    try:
        return gdb.parse_and_eval(f"({pointer}) 0").type.target()
    except (gdb.error, RuntimeError):
        return None
