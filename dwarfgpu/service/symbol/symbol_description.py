"""Describe symbols: where one is, and those in scope at a program location."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Final

from dwarfgpu.base.absolute_path import absolute_path, real_path
from dwarfgpu.base.printable import one_line
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import MAX_CONSTANT_BYTES, Die
from dwarfgpu.dwarf.loaded_code import code_object_at
from dwarfgpu.dwarf.names.function_names import full_function_name
from dwarfgpu.dwarf.scope.declarations import is_definition
from dwarfgpu.dwarf.scope.labels import label_of
from dwarfgpu.dwarf.scope.named_entries import TAGGED, TYPES
from dwarfgpu.dwarf.scope.scope_entries import (
    CLASSES,
    DATA,
    FUNCTIONS,
    as_loaded,
    code_ranges,
    entries_of,
    name_of,
)
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.dwarf.scope.variable import (
    Variable,
    abstract_scope,
    external_of,
    only_in_abstract,
    variable_of,
)
from dwarfgpu.dwarf.types.type_entries import enumerator_value, underlying_base
from dwarfgpu.dwarf.types.type_sizes import size_bytes
from dwarfgpu.errors import DwarfGpuError, LimitExceeded
from dwarfgpu.expr.context import ConstValue
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.service.frame.focus import shown_name
from dwarfgpu.session.session import Session
from dwarfgpu.view.info_address import Describer

_UNRESOLVED: Final = "unresolved"


def full_path(session: Session, code_object: CodeObject) -> str:
    """Return the absolute path of a file, as in GDB that of the program without links; a file that
    the system adds to a process has none."""
    if code_object.name.startswith("["):
        return f"system-supplied DSO at {code_object.load_address:#x}"
    if code_object is session.program:
        return real_path(code_object.file.path)
    try:
        return str(Path(code_object.file.path).absolute())
    except (OSError, ValueError):
        return str(code_object.file.path)


def has_location(die: Die) -> bool:
    """Return whether GDB finds an entry by its name: not tags of types of C, nor functions defined
    in other files."""
    if die.tag in FUNCTIONS:
        return bool(Subprogram(die).ranges)
    return die.tag not in TAGGED or die.unit.is_cplusplus


def symbol_description(
    session: Session,
    entity: Variable | Die,
    describer: Callable[[], Describer] | None = None,
    *,
    is_scope: bool = False,
) -> str:
    """Return the location of an entity: `a function at address 0x10`. `describer`: what
    gives that of the variable's function, if it is known."""
    if isinstance(entity, Variable):
        symbol = session.symbol_of(entity)
        if symbol is None and isinstance(entity.location, ConstValue):
            if not is_scope:
                from dwarfgpu.dwarf.scope.linked_variables import (
                    address_of_instance,
                )  # few are described so

                address = address_of_instance(session.loaded_objects(), entity)
                return "constant" if address is None else _static(address)
            if _is_block(entity):
                return f"constant bytes:  {entity.location.data.hex(' ')}"
        if symbol is not None:
            if symbol.thread_local_in is not None:
                return thread_local_text(symbol.thread_local_in, symbol.address)
            return _static(symbol.address)
        if _is_only_declared(entity):
            return _UNRESOLVED
        if entity.location is None and entity.why_dropped is not None:
            return f"optimized out: {entity.why_dropped}"
        if entity.location is None:
            from dwarfgpu.dwarf.scope.thread_statics import why_not_known  # most have a location

            not_known = why_not_known(entity)
            if not_known is not None:
                return f"not known: {not_known}"
        if describer is None:
            description = _describer(session, entity.die, session.pc)
        else:
            description = describer()
        return evolve(description, variable=entity).text(entity.location)
    match entity.tag:
        case dw.TAG_SUBPROGRAM | dw.TAG_INLINED_SUBROUTINE:
            entry = Subprogram(entity).entry
            return "optimized out" if entry is None else f"a function at address {entry:#x}"
        case dw.TAG_ENUMERATOR:
            return "constant"
        case tag if tag in TYPES or tag == dw.TAG_NAMESPACE:
            return "a typedef"  # to GDB, all types and namespaces are
        case _:
            return "a name that has no place"


def _static(address: int) -> str:
    return f"static storage at address {address:#x}"


def _is_only_declared(variable: Variable) -> bool:
    """Return whether no file that was read defines a variable of a namespace or a file."""
    above = variable.die.parent()
    return variable.is_only_declared and not (above is not None and above.tag in CLASSES)


def thread_local_text(file: ObjectFile, offset: int) -> str:
    """Return where GDB says that a symbol in the thread-local storage of a file is."""
    return (
        f"a thread-local variable at offset {offset:#x} in the thread-local storage for "
        f"`{one_line(absolute_path(file.path))}'"
    )


def _is_block(variable: Variable) -> bool:
    """Return whether the constant of a variable is described by its bytes, not as a number."""
    holder = variable.die.holder(dw.AT_CONST_VALUE)
    attribute = None if holder is None else holder.attribute(dw.AT_CONST_VALUE)
    return attribute is not None and isinstance(attribute.raw, bytes)


def _describer(session: Session, entry: Die, pc: int | None) -> Describer:
    """Return what the descriptions of variables in an entry, or its own, are read with, in code at
    a program location."""
    function: Die | None = entry
    while function is not None and function.tag != dw.TAG_SUBPROGRAM:
        function = function.parent()
    base = None if function is None else Subprogram(function).frame_base
    info = entry.unit.info
    owner = next(
        (code_object for code_object in session.code_objects if code_object.info.main is info.main),
        None,
    )
    path = "" if owner is None else full_path(session, owner)
    return Describer(session.architecture, path, base, session.limits, pc=pc)


def _describer_of_block(session: Session, function: Die, block: Die) -> Describer:
    """Return the same for the variables of a block: as in GDB, at its entry."""
    spans = as_loaded(block.unit, code_ranges(block))
    return _describer(session, function, spans[0].begin if spans else None)


def symbols_at(session: Session, pc: int) -> Iterator[tuple[str, str]]:
    """Yield the symbols of the scopes at a location, the innermost first, up to the function;
    `LimitExceeded` after as many as are listed."""
    owner = code_object_at(session.code_objects, pc)
    if owner is None:
        return
    most = owner.file.limits.variables
    for count, symbol in enumerate(_symbols_of(session, owner.scopes.chain_at(pc))):
        if count == most:  # each takes 50 µs, and a function may have a million
            raise LimitExceeded(f"the scope has more than {most} symbols", "--max-variables")
        yield symbol


def _symbols_of(session: Session, chain: Sequence[Die]) -> Iterator[tuple[str, str]]:
    """Yield the symbols of scopes, the outermost scope first."""
    if not chain:
        return
    function = next((scope for scope in reversed(chain) if scope.tag == dw.TAG_SUBPROGRAM), None)
    for scope in reversed(chain):
        describer = cache(partial(_describer_of_block, session, function or chain[-1], scope))
        if scope.tag == dw.TAG_INLINED_SUBROUTINE:
            name = full_function_name(scope) or name_of(scope) or "??"
            yield name, f"{symbol_description(session, scope)}, length 1"
        yield from _in_scope(session, scope, describer)
        if scope.tag in FUNCTIONS:
            return


def scope_at(session: Session, pc: int) -> Die | None:
    """Return the innermost scope at a location; None where no file describes the code."""
    return next(reversed(_chain_at(session, pc)), None)


def _chain_at(session: Session, pc: int) -> Sequence[Die]:
    owner = code_object_at(session.code_objects, pc)
    return () if owner is None else owner.scopes.chain_at(pc)


def _in_scope(
    session: Session, scope: Die, describer: Callable[[], Describer]
) -> Iterator[tuple[str, str]]:
    """Yield variables, types and enumerators in the order of the file; then those that only the
    abstract instance has."""
    for die in entries_of(scope):
        variable = variable_of(die) or external_of(die) if die.tag in DATA else None
        if variable is not None:
            yield _variable(session, variable, describer)
        label = label_of(die)
        if label is not None:
            length = scope.unit.format.address_size
            yield label.name, f"a label at address {label.address:#x}, length {length}"
        yield from _type_and_enumerators(die)
    missing = {one.die: one for one in only_in_abstract(scope, with_external=True)}
    abstract = abstract_scope(scope)
    types = () if abstract is None else abstract.children(TYPES | {dw.TAG_ENUMERATION_TYPE})
    for die in sorted((*missing, *types), key=lambda die: die.offset):
        if die in missing:
            yield _variable(session, missing[die])
        yield from _type_and_enumerators(die)


def _type_and_enumerators(die: Die) -> Iterator[tuple[str, str]]:
    if die.tag == dw.TAG_ENUMERATION_TYPE:
        around = f"{die.name}::" if die.flag(dw.AT_ENUM_CLASS) and die.name else ""
        for child in die.children():
            constant = _enumerator(child, die.integer(dw.AT_BYTE_SIZE) or 0)
            yield f"{around}{child.name or '??'}", constant
    if die.tag in TYPES and die.name is not None and not _is_only_declared_class(die):
        yield die.name, "a typedef"


def _is_only_declared_class(die: Die) -> bool:
    """Return whether a scope does not define a class: GDB has no symbol of it then, but of an
    enumeration."""
    return die.tag in CLASSES and not (is_definition(die) or die.has(dw.AT_BYTE_SIZE))


def _enumerator(die: Die, length: int) -> str:
    value = die.signed_integer(dw.AT_CONST_VALUE)
    above = die.parent()
    if value is None and above is not None:
        value = enumerator_value(die, underlying_base(above))
    if value is None:
        return "a constant without a value"
    shown_bits = 8 * min(max(length, 0), MAX_CONSTANT_BYTES)
    return f"a constant with value {value} ({value & (1 << shown_bits) - 1:#x}), length {length}"


def _variable(
    session: Session, variable: Variable, describer: Callable[[], Describer] | None = None
) -> tuple[str, str]:
    name = shown_name(variable)
    try:
        text = symbol_description(session, variable, describer, is_scope=True)
    except DwarfGpuError as error:
        return name, f"<error: {error.message}>"
    if text == "optimized out":
        return name, text
    if text == _UNRESOLVED:
        text = "Unresolved Static"
    elif text.startswith("static storage") and variable.kind != "global":
        text = f"in {text}"
    return name, f"{text}, length {_length(variable)}"


def _length(variable: Variable) -> str:
    try:
        return str(size_bytes(variable.type) or 0)
    except DwarfGpuError as error:
        return f"<error: {error.message}>"
