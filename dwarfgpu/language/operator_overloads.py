"""Which function an operator of classes is (C++ [over.match.oper]), as far as its result needs it.

Law: no object is read, and nothing is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.names.type_names import this_qualifiers, type_name
from dwarfgpu.dwarf.types.types import (
    Array,
    Enum,
    Function,
    Pointer,
    Struct,
    Type,
    denoted,
    strip,
    strip_reference,
)
from dwarfgpu.language.arithmetic_conversions import is_number
from dwarfgpu.language.base_class_casts import way_up
from dwarfgpu.language.class_operators import methods_named


@frozen
class _Overload:
    """A function, its parameters for the operands, and whether its object is to be constant."""

    function: Function
    parameters: tuple[Type | None, ...]
    is_const: bool | None = None
    """None for a function that is no member of a class."""


def overload(
    operator: str,
    operands: Sequence[Type | None],
    functions: Callable[[str], Sequence[Function]] | None,
) -> Function | None:
    """Return a function that an operator is for operands of these types; None where the operator is
    none of the first one's class, or where overloads with several types of results fit alike.

    `functions`: the types of the functions of a name; None in languages without such operators.
    """
    kind = strip(operands[0])
    if not isinstance(kind, Struct) or kind.kind == "union":
        return None
    candidates = [*_declared(f"operator{operator}", kind, operands, functions)]
    distances = [(_distance(item, operands), item) for item in candidates]
    for most in (0, 1):  # conversions only where no overload does without
        fitting = [item for far, item in distances if far is not None and far <= most]
        if not _is_certain(fitting):
            is_const = _is_const(operands[0])
            fitting = [item for item in fitting if item.is_const in (is_const, None)]
        if fitting:
            return fitting[0].function if _is_certain(fitting) else None
    return None


def _is_certain(overloads: Sequence[_Overload]) -> bool:
    return len({_spelled(item.function.result) for item in overloads}) <= 1


def _declared(
    name: str,
    kind: Struct,
    operands: Sequence[Type | None],
    functions: Callable[[str], Sequence[Function]] | None,
) -> Iterator[_Overload]:
    """Yield the members of a class, and the functions of the namespaces of the operands
    ([basic.lookup.argdep])."""
    for method in methods_named(kind, name):
        is_const = " const" in this_qualifiers(method)
        yield _Overload(method.type, (kind, *method.written), is_const if method.has_this else None)
    if functions is not None:
        structs = (strip(operand) for operand in operands)
        scopes = dict.fromkeys(
            ("", *(struct.scope for struct in structs if isinstance(struct, Struct)))
        )
        for scope in scopes:
            for function in functions(f"{scope}{name}"):
                yield _Overload(function, function.parameters)


def _distance(item: _Overload, operands: Sequence[Type | None]) -> int | None:
    """Return 1 if an operand must be converted to the type of its parameter, 0 if none must; None
    where that is not possible."""
    if len(item.parameters) != len(operands):
        return None
    skipped = 0 if item.is_const is None else 1  # the class declares it, or inherits it
    pairs = zip(item.parameters[skipped:], operands[skipped:], strict=True)
    far = 0
    for parameter, operand in pairs:
        step = _conversion(strip_reference(parameter), strip(operand))
        if step is None:
            return None
        far = max(far, step)
    return far


def _conversion(wanted: Type | None, kind: Type | None) -> int | None:
    if _spelled(wanted) == _spelled(kind):
        return 0
    is_possible = (
        (is_number(wanted) and is_number(kind) and not isinstance(wanted, Enum))
        or (isinstance(wanted, Pointer) and isinstance(kind, Pointer | Array))
        or way_up(kind, wanted) is not None
    )
    return 1 if is_possible else None


def _spelled(type_: Type | None) -> str:
    return type_name(type_, cplusplus=True)


def _is_const(type_: Type | None) -> bool:
    return "const" in denoted(type_).qualifiers
