"""Calls in expressions: functions of the debugger, elements of arrays of Fortran and Ada,
intrinsic functions of Fortran.

Law: no function of the program is executed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Protocol

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.names.fortran_ada import (
    Indexes,
    class_array,
    indexes_of,
    may_have_own_bounds,
)
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.types import (
    Absent,
    Array,
    Dynamic,
    Function,
    Pointer,
    Struct,
    Type,
    strip,
)
from dwarfgpu.errors import UndefinedBits, Unsupported, UsageError
from dwarfgpu.language.class_operators import NO_CALLS
from dwarfgpu.language.fortran.array_sections import Triplet, section
from dwarfgpu.language.fortran.intrinsics import INTRINSICS
from dwarfgpu.language.function_context import DebuggerFunction, FunctionContext
from dwarfgpu.language.gpu_builtins import BUILTIN_FUNCTIONS, builtin_function, is_free
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.expression_language import SourceLanguage, language_of
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import NIL_SIZE, Unevaluated
from dwarfgpu.model.location import UNDEFINED_LOCATION
from dwarfgpu.model.object import Bits

if TYPE_CHECKING:
    from dwarfgpu.language.number_rules import NumberRules

_NO_INDEX: Final = "Argument to subscript operation is not an integer."

_NO_SHELL: Final = (
    '"$_shell" is not supported: expressions run no programs ("shell COMMAND" does, and sets '
    "$_shell_exitcode)"
)


class Calling(FunctionContext, Protocol):
    """What evaluates the parts of a call; `dwarfgpu.language.evaluator.Evaluator` does."""

    @property
    def language(self) -> SourceLanguage: ...

    def value(self, node: ast.Node) -> TypedValue: ...

    def object(self, node: ast.Node) -> TypedValue: ...

    def object_as(self, node: ast.Node, type_: Type | None) -> TypedValue: ...

    def named(self, node: ast.Name, *, is_called: bool = False) -> TypedValue: ...

    def member(self, node: ast.Access, *, is_called: bool = False) -> TypedValue: ...

    def debugger_function(self, node: ast.Node) -> DebuggerFunction | None: ...

    def report(self, doubt: str) -> None: ...

    @property
    def rules(self) -> NumberRules | None: ...

    def unread(self) -> Calling:
        """Return what evaluates operands for their types only."""
        ...

    def counting(self) -> Calling:
        """Return what evaluates numbers on which a type depends."""
        ...


def called(evaluator: Calling, call: ast.Call) -> TypedValue:
    """Return what a call denotes; of a function of the program, where only the type is wanted, a
    value of its result type without contents."""
    node = call.function
    is_evaluated = not isinstance(evaluator.objects, Unevaluated)
    own = evaluator.debugger_function(node)
    if own is not None and not is_evaluated:
        return evaluator.arithmetic.value(evaluator.arithmetic.numbers.integer(0))  # as in GDB
    if own is not None:
        return own(evaluator, [evaluator.object(argument) for argument in call.arguments])
    if evaluator.language.is_go:
        counted = _of_go(evaluator, node, call.arguments)
        if counted is not None:
            return counted
    if isinstance(node, ast.Name):
        intrinsic = _intrinsic(evaluator, node, call.arguments)
        if intrinsic is not None:
            return intrinsic
        if evaluator.language.is_pascal:
            counted = _of_pascal(evaluator, node, call.arguments)
            if counted is not None:
                return counted
        gpu_value = _gpu_call(evaluator, node, call.arguments)
        if gpu_value is None and evaluator.language.is_opencl and node.file is None:
            gpu_value = _converted(evaluator, node.name, call.arguments)
        if gpu_value is not None:
            return gpu_value
        function = evaluator.named(node, is_called=True)
    elif isinstance(node, ast.Access):
        function = evaluator.member(node, is_called=True)
    else:
        function = evaluator.value(node)
    if evaluator.language.is_fortran:
        bare = strip(function.type)
        if isinstance(bare, Pointer) and _is_array(bare.target):
            function = evaluator.objects.dereferenced(function)
        function = _array_of_class(evaluator, node, function)
        if _is_array(function.type):
            subscripts = [_subscript(evaluator, argument) for argument in call.arguments]
            return _selected(evaluator, function, subscripts)
    if evaluator.language.is_ada:
        function = _indexed_in_ada(evaluator, node, function)
    if evaluator.language.is_ada and _is_array(function.type):  # its last dimension is the fastest
        kinds = _index_types(function.type, len(call.arguments))
        pairs = zip(call.arguments, kinds, strict=True)
        chosen = [_subscript(evaluator, argument, kind) for argument, kind in pairs]
        chosen = _positions(function.type, chosen)[::-1]
        if len(chosen) == 1 and isinstance(chosen[0], Triplet):
            return _slice(evaluator, function, chosen[0])
        return _selected(evaluator, function, chosen)
    bare = strip(function.type)
    if isinstance(bare, Pointer):
        bare = strip(bare.target)
    if not is_evaluated and isinstance(bare, Function):
        return TypedValue(bare.result, UNDEFINED_LOCATION, unit=function.unit)
    if isinstance(node, ast.Dollar) and function.convenience is not None and function.type is None:
        raise UsageError(
            _NO_SHELL if node.name == "_shell" else f'"${node.name}" is not a convenience function'
        )
    is_data = not isinstance(bare, Function) and bare is strip(function.type)
    if evaluator.language.is_fortran and is_data:
        raise UsageError("Cannot perform substring on this type")
    raise Unsupported(NO_CALLS)


def _array_of_class(evaluator: Calling, node: ast.Node, value: TypedValue) -> TypedValue:
    """Return the array that a polymorphic array of Fortran is; any other value as it is."""
    bare = strip(value.type)
    data = class_array(bare) if isinstance(bare, Struct) else None
    if data is None:
        return value
    assert data.name is not None
    return evaluator.member(ast.Access(node, data.name, is_arrow=False))


def _indexed_in_ada(evaluator: Calling, node: ast.Node, function: TypedValue) -> TypedValue:
    """Return the array that is indexed in place of a value of Ada."""
    from dwarfgpu.language.ada.indexing import array_of, stands_for_array  # few are in Ada

    is_unevaluated = isinstance(evaluator.objects, Unevaluated)
    has_no_bounds = is_unevaluated and isinstance(strip(function.type), Dynamic)  # as `p.all`
    if not stands_for_array(function.type) and not has_no_bounds:
        return function
    if not is_unevaluated:
        return array_of(evaluator.objects, function)
    try:
        counting = evaluator.counting()  # for the bounds
        return array_of(counting.objects, counting.value(node))
    except UndefinedBits:  # the elements have a type all the same
        array = array_of(evaluator.objects, function)
        bare = strip(array.type)
        form = bare.form if isinstance(bare, Dynamic) else bare
        if not isinstance(form, Array):
            raise
        return evolve(array, type=evolve(form, lower_bounds=()))


def _is_array(type_: Type | None) -> bool:
    """Return whether a type is an array, maybe one without data now."""
    bare = strip(type_)
    return isinstance(bare.form if isinstance(bare, Dynamic | Absent) else bare, Array)


def _index_types(type_: Type | None, count: int) -> list[Type | None]:
    """Return the types of the subscripts of an array of Ada, where these are enumerations or
    characters."""
    bare = strip(type_)
    form = bare.form if isinstance(bare, Dynamic | Absent) else bare
    if not isinstance(form, Array):
        return [None] * count
    return [indexes_of(form, dimension).kind for dimension in range(count)]


def _positions(type_: Type | None, subscripts: list[int | Triplet]) -> list[int | Triplet]:
    """Return the indexes that subscripts of Ada are, whose values may have gaps between."""
    bare = strip(type_)
    form = bare.form if isinstance(bare, Dynamic | Absent) else bare
    if not isinstance(form, Array) or not form.indexes:
        return subscripts

    out: list[int | Triplet] = []
    for dimension, subscript in enumerate(subscripts):
        indexes = indexes_of(form, dimension)
        if isinstance(subscript, Triplet):
            low, high = _position(indexes, subscript.low), _position(indexes, subscript.high)
            out.append(Triplet(low, high, subscript.stride))
        else:
            out.append(_position(indexes, subscript) or 0)
    return out


def _position(indexes: Indexes, value: int | None) -> int | None:
    """Return the index that a subscript is; None if the bound of a slice is left out."""
    if value is None:
        return None
    index = indexes.index(value)
    if index is None:
        raise UsageError("array subscript out of bounds")
    return index


def _selected(evaluator: Calling, array: TypedValue, subscripts: list[int | Triplet]) -> TypedValue:
    indices = [subscript for subscript in subscripts if isinstance(subscript, int)]
    if len(indices) < len(subscripts):
        return section(evaluator.objects, array, subscripts)
    return _element(evaluator, array, indices)


def _slice(evaluator: Calling, array: TypedValue, bounds: Triplet) -> TypedValue:
    """Return a slice of an array of Ada, whose first index is that of the slice (4.1.2)."""
    bare = strip(array.type)
    if bounds.low is not None and bounds.high is not None and bounds.high < bounds.low:
        if not isinstance(bare, Array) or len(bare.dimensions) != 1:
            raise UsageError("Wrong number of subscripts")
        empty = evolve(
            bare,
            dimensions=(0,),
            lower_bounds=(bounds.low,),
            lasts_of_none=(bounds.high,),
            own_name=None,
            declared_bits=None,
        )
        return TypedValue(empty, bits=Bits(0, 0))
    part = section(evaluator.objects, array, [bounds])
    assert isinstance(part.type, Array) and isinstance(bare, Array)
    is_part = bare.is_part_of_named or (
        bounds.low != bare.lower_bound and may_have_own_bounds(bare)
    )
    kind = evolve(
        part.type, lower_bounds=(bounds.low,), indexes=bare.indexes, is_part_of_named=is_part
    )
    return evolve(part, type=kind)


def _element(evaluator: Calling, array: TypedValue, indices: Sequence[int]) -> TypedValue:
    """Return an element of an array by its indices, the fastest first.

    `UsageError` with GDB's wording for indices outside of the array.
    """
    objects, bare = evaluator.objects, strip(array.type)
    if isinstance(bare, Absent):
        return objects.element(array, 0)  # says whether it is not allocated or not associated
    form = bare.form if isinstance(bare, Dynamic) else bare
    if not isinstance(form, Array) or len(indices) != len(form.dimensions):
        raise UsageError("Wrong number of subscripts")
    for index in reversed(indices):
        bare = strip(array.type)
        count = bare.dimensions[0] if isinstance(bare, Array) else None
        first = bare.lower_bound if isinstance(bare, Array) else None
        if first is not None and (index < first or (count is not None and index >= first + count)):
            raise UsageError("no such vector element")
        array = objects.element(array, index)
    return array


def _subscript(evaluator: Calling, node: ast.Node, kind: Type | None = None) -> int | Triplet:
    """Return the number of an index of a type, or those of `low:high:stride`."""
    if not isinstance(node, ast.Triplet):
        return _index(evaluator, node, kind)
    low, high, stride = (
        None if part is None else _index(evaluator, part, kind)
        for part in (node.low, node.high, node.stride)
    )
    return Triplet(low, high, 1 if stride is None else stride)


def _index(evaluator: Calling, node: ast.Node, kind: Type | None) -> int:
    """Return an index, evaluated even where only the type is wanted: the type depends on it."""
    counting = evaluator.counting()
    value = counting.object_as(node, kind)
    if evaluator.language.is_fortran:
        from dwarfgpu.language.fortran.scalar_pointers import target_of  # few programs

        value = target_of(counting.arithmetic, value)
    number = counting.arithmetic.number(value)
    if number.is_float:
        raise UsageError(_NO_INDEX)
    return number.value.integer


def _intrinsic(
    evaluator: Calling, node: ast.Name, arguments: Sequence[ast.Node]
) -> TypedValue | None:
    """Return the value of an intrinsic function of Fortran; None where the name means none.

    What the program declares in Fortran comes first, as in the program itself.
    """
    if not evaluator.language.is_fortran or node.file is not None or node.is_quoted:
        return None
    intrinsic = INTRINSICS.get(node.name.lower())
    if intrinsic is None:
        from dwarfgpu.language.fortran.elemental_functions import ELEMENTAL  # few expressions

        intrinsic = ELEMENTAL.get(node.name.lower())
    if intrinsic is None:
        from dwarfgpu.language.fortran.inquiry_functions import INQUIRIES, NOT_EVALUATED

        intrinsic = INQUIRIES.get(node.name.lower())
        if intrinsic is None and node.name.lower() not in NOT_EVALUATED:
            return None
    for meaning in evaluator.names.meaning(node.name):
        die = meaning.die if isinstance(meaning, Variable) else meaning
        if language_of(die.unit).is_fortran:
            return None
    evaluator.names.used_as_intrinsic(node.name)
    if intrinsic is None:
        raise Unsupported(f"the intrinsic function {node.name.upper()} is not evaluated")
    if intrinsic.asks_type:
        evaluator = evaluator.unread()
    values, named = _arguments(evaluator, arguments)
    if intrinsic.takes_targets:
        from dwarfgpu.language.fortran.scalar_pointers import target_of  # few programs

        values = [target_of(evaluator.arithmetic, value) for value in values]
        named = {word: target_of(evaluator.arithmetic, value) for word, value in named.items()}
    value = intrinsic.value(evaluator, values, named)
    return evolve(value, unit=evaluator.names.current_unit)


def _arguments(
    evaluator: Calling, nodes: Sequence[ast.Node]
) -> tuple[list[TypedValue], dict[str, TypedValue]]:
    """Return the arguments of an intrinsic function, and those with a keyword by it (Fortran 2018
    15.5.1)."""

    def argument(node: ast.Node) -> TypedValue:
        return _array_of_class(evaluator, node, evaluator.object(node))

    values: list[TypedValue] = []
    named: dict[str, TypedValue] = {}
    for node in nodes:
        match node:
            case ast.Keyword(name=name, value=written):
                if name.lower() in named:
                    raise UsageError(f"Two arguments have the keyword {name}.")
                named[name.lower()] = argument(written)
            case _ if named:
                raise UsageError("An argument without a keyword is behind one with a keyword.")
            case _:
                values.append(argument(node))
    return values, named


def _of_go(evaluator: Calling, node: ast.Node, arguments: Sequence[ast.Node]) -> TypedValue | None:
    """Return the value of `len`, `cap` or `unsafe.Sizeof` of Go; None for any other function."""
    from dwarfgpu.language.go import slices_and_strings as builtins  # few programs

    match node:
        case ast.Name(name=name, file=None) if name in builtins.BUILTINS:
            declared, spelled = name, name
        case ast.Access(operand=ast.Name(name="unsafe", file=None), name="Sizeof"):
            declared, spelled = "unsafe", "unsafe.Sizeof"
        case _:
            return None
    if _is_declared_in(dw.LANG_GO, evaluator, declared):
        return None
    if len(arguments) != 1:
        raise UsageError(f"{spelled} has one argument: {spelled}(x)")
    if declared == spelled:
        value = evaluator.object(arguments[0])
        return builtins.length(evaluator.arithmetic, spelled, value)
    if arguments[0] == ast.Name("nil") and not evaluator.names.meaning("nil"):
        raise UsageError(NIL_SIZE)
    operand = evaluator.unread().object(arguments[0])
    return builtins.size_of(evaluator.arithmetic, operand)


def _of_pascal(
    evaluator: Calling, node: ast.Name, arguments: Sequence[ast.Node]
) -> TypedValue | None:
    """Return the value of `ord` or `length` of Pascal; None where the name means none."""
    from dwarfgpu.language.pascal.functions import FUNCTIONS, value_of_function  # few programs

    name = node.name.lower()
    if name not in FUNCTIONS or node.file is not None or evaluator.rules is None:
        return None
    if _is_declared_in(dw.LANG_PASCAL83, evaluator, evaluator.names.spelled(node.name)):
        return None
    values = [evaluator.object(argument) for argument in arguments]
    return value_of_function(evaluator, evaluator.rules, name, values)


def _is_declared_in(language: int, evaluator: Calling, name: str) -> bool:
    """Return whether code of a language declares a name, which hides a function of the language:
    what a file of another language calls so does not."""
    return any(meaning.unit.language == language for meaning in evaluator.names.meaning(name))


def _gpu_call(
    evaluator: Calling, node: ast.Name, arguments: Sequence[ast.Node]
) -> TypedValue | None:
    """Return what a function of OpenCL gives that the program has not; None of any other."""
    if node.name not in BUILTIN_FUNCTIONS or node.file is not None:
        return None
    if not is_free(evaluator.names.meaning(node.name)):
        return None
    numbers = [
        evaluator.arithmetic.number(evaluator.object(argument)).value.integer
        for argument in arguments
    ]
    return builtin_function(evaluator.session, node.name, numbers)


def _converted(evaluator: Calling, name: str, arguments: Sequence[ast.Node]) -> TypedValue | None:
    """Return what a conversion of OpenCL gives; None of any other function."""
    # Few kernels are of OpenCL.
    from dwarfgpu.language.opencl.conversion_functions import conversion

    function = conversion(evaluator, name)
    if function is None:
        return None
    return function([evaluator.object(argument) for argument in arguments])
