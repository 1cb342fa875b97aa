"""Functions and data without a type: names found only in a symbol table, as in GDB, and variables
without DW_AT_type."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.dwarf.loaded_code import CodeObjects, as_code_objects
from dwarfgpu.dwarf.scope.functions_by_name import merged_function
from dwarfgpu.dwarf.scope.symbols_by_name import (
    UntypedSymbol,
    demangled_symbol,
    untyped_symbol,
)
from dwarfgpu.dwarf.thread_local import tls_address
from dwarfgpu.dwarf.types.types import Function, Type, Unspecified
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.model.object import Bits
from dwarfgpu.session.session import Session

TEXT: Final = Function(own_name="<text variable, no debug info>")
INDIRECT: Final = Function(own_name="<text gnu-indirect-function variable, no debug info>")
DATA: Final = Unspecified("<data variable, no debug info>")
ABSOLUTE: Final = Unspecified("<variable (not text or data), no debug info>")
THREAD_LOCAL: Final = Unspecified("<thread local variable, no debug info>")
NO_TYPE: Final = Unspecified("<data variable, no DW_AT_type>")
"""The type of a variable whose entry has none, as GCC writes with -g1; GDB assumes `int`."""
_MAX_KEPT: Final = 64
"""Names for which it is kept which function has one."""
_OF_DATA: Final = (DATA, ABSOLUTE, THREAD_LOCAL, NO_TYPE)


def untyped(objects: ObjectAccess, name: str, *, is_called: bool) -> TypedValue | None:
    """Return the symbol of a name; None if the symbol tables do not have it."""
    symbol = symbol_of(objects.session, name)
    return None if symbol is None else _value(objects, name, symbol, is_called=is_called)


def quoted_symbol(objects: ObjectAccess, name: str) -> TypedValue | None:
    """Return the symbol whose demangled name is quoted: `'vtable for X'`; None if there is none."""
    symbol = demangled_symbol(objects.session.objects_with(name), name)
    return None if symbol is None else _value(objects, name, symbol, is_called=False)


def _value(
    objects: ObjectAccess, name: str, symbol: UntypedSymbol, *, is_called: bool
) -> TypedValue:
    if symbol.is_code and is_called:
        raise UsageError(
            f"'{name}' has unknown return type; cast the call to its declared return type"
        )
    address, type_ = symbol.address, ABSOLUTE if symbol.is_absolute else DATA
    if symbol.thread_local_in is not None:
        session, type_ = objects.session, THREAD_LOCAL
        address = tls_address(symbol.thread_local_in, address, session.wave, session.target)
    location = objects.at(objects.architecture.address_space(0), address)
    if symbol.is_code:
        return TypedValue(INDIRECT if symbol.is_indirect else TEXT, location, Bits(0, 0))
    return TypedValue(type_, location)


def symbol_of(session: Session, name: str) -> UntypedSymbol | None:
    """Return the symbol of a name; a function of C++ may be named without parameters. None if the
    symbol tables do not have it."""
    symbol = untyped_symbol(session.objects_with(name), name)
    if symbol is None:
        searched = as_code_objects(session.code_objects).searched_from(session.code_object)
        entry = _merged_function(searched.in_load_order, name)
        symbol = None if entry is None else UntypedSymbol(entry, is_code=True)
    return symbol


@kept_with(first, _MAX_KEPT)
def _merged_function(searched: CodeObjects, name: str) -> int | None:
    """Return the same for each of thousands of waves, which search the same files in different
    orders."""
    return merged_function(searched, name)


def typed(
    value: TypedValue, name: str, session: Session, why: DwarfGpuError | None = None
) -> TypedValue:
    """Return a value that has a type; for data whose type is unknown, `UsageError` or why it cannot
    be read."""
    if _is_of_data(value):
        if why is not None:
            raise why.anew()
        message = f"'{name}' has unknown type; cast it to its declared type"
        raise UsageError(session.with_unsearched(message))
    return value


def as_type(value: TypedValue, type_: Type | None) -> TypedValue | None:
    """Return data without a type as an object of a type, at its location; None for any other
    value."""
    return TypedValue(type_, value.location, error=value.error) if _is_of_data(value) else None


def _is_of_data(value: TypedValue) -> bool:
    return value.type in _OF_DATA
