"""Overloaded operators of classes are functions of the program; dwarfgpu does not call them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from dwarfgpu.dwarf.types.class_parts import Method
from dwarfgpu.dwarf.types.inheritance import MOST_BASES
from dwarfgpu.dwarf.types.types import Function, Struct, strip, strip_reference
from dwarfgpu.errors import LimitExceeded, Unsupported, UsageError
from dwarfgpu.language.typed_value import TypedValue

NO_CALLS: Final = "functions of the program cannot be called"


def has_method(struct_type: Struct, name: str) -> bool:
    """Return whether a class or one of its base classes declares a member function of a name."""
    return bool(methods_named(struct_type, name))


def methods_named(struct_type: Struct, name: str) -> tuple[Method, ...]:
    """Return the member functions with a name of the class, else of the first of its base classes
    that declares one. `LimitExceeded` if there are too many, again for each class that inherits
    one."""
    for current in _with_bases(struct_type):
        methods = tuple(method for method in current.declared.methods if method.name == name)
        if methods:
            return methods
    return ()


def spelled_method(struct_type: Struct, name: str) -> str:
    """Return the name that a member function has for one in any case of letters; the name itself if
    none has it. `LimitExceeded` as in `methods_named`."""
    folded = name.lower()
    return next(
        (
            method.name
            for current in _with_bases(struct_type)
            for method in current.declared.methods
            if method.name.lower() == folded
        ),
        name,
    )


def _with_bases(struct_type: Struct) -> Iterator[Struct]:
    pending, visited, count = [struct_type], set[int](), 0
    while pending:
        current = pending.pop()
        if id(current) in visited:
            continue
        visited.add(id(current))
        yield current
        bases = current.index.bases
        count += len(bases)
        if count > MOST_BASES:
            raise LimitExceeded(f"more than {MOST_BASES} base classes")
        pending += [base for member in bases if isinstance(base := strip(member.type), Struct)]


def refuse_arrow(operand: TypedValue) -> None:
    """Raise `Unsupported` for `->` on an object whose class declares that operator; without it,
    `->` is `.`, as in GDB."""
    kind = strip(operand.type)
    if isinstance(kind, Struct) and has_method(kind, "operator->"):
        raise Unsupported(NO_CALLS)


def refuse_overloaded(
    operator: str,
    *operands: TypedValue,
    functions: Callable[[str], Sequence[Function]] | None,
) -> None:
    """Raise `Unsupported` for an operator that a class or a function declares for the operands, and
    `UsageError`, with GDB's wording, for another one. To GDB, unions have no operators, and the
    left operand has to be an object of a class.

    `functions`: the types of the functions of a name; None in languages without such operators.
    """
    kinds = [strip(operand.type) for operand in operands]
    structs = [kind for kind in kinds if isinstance(kind, Struct) and kind.kind != "union"]
    if not structs:
        return
    if kinds[0] not in structs:
        raise UsageError("Can't do that binary op on that type")
    name = f"operator{operator}"
    if any(has_method(struct, name) for struct in structs):
        raise Unsupported(NO_CALLS)
    if functions is None:
        raise UsageError(f"Structure has no component named {name}.")
    # Argument-dependent lookup ([basic.lookup.argdep]): in the namespaces of the classes, too.
    scopes = dict.fromkeys(("", *(struct.scope for struct in structs)))
    overloads = [function for scope in scopes for function in functions(f"{scope}{name}")]
    if any(_takes(function, structs) for function in overloads):
        raise Unsupported(NO_CALLS)
    if overloads:
        raise UsageError(f"Cannot resolve function {name} to any overloaded instance")
    raise UsageError(f'No symbol "{name}" in current context.')


def _takes(function: Function, structs: Sequence[Struct]) -> bool:
    """Return whether one of the parameters of a function is an object of one of the classes, or a
    reference to one."""
    names = {(struct.scope, struct.name) for struct in structs}
    kinds = (strip_reference(parameter) for parameter in function.parameters)
    return any(isinstance(kind, Struct) and (kind.scope, kind.name) in names for kind in kinds)
