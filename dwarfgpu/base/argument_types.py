"""Wrong types of arguments of public functions: an error that names the argument.

Law: a call with right arguments costs one call more. The annotations are read only when a call has
failed with an exception that is not ours.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import reduce, wraps
from itertools import islice
from operator import or_
from types import NoneType, UnionType
from typing import (
    Any,
    Final,
    Literal,
    ParamSpec,
    Protocol,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
)

from dwarfgpu.base.arguments import FOREIGN, wrong_argument
from dwarfgpu.errors import UsageError

_P = ParamSpec("_P")
_R = TypeVar("_R")

_CO_GENERATOR: Final = 0x20
"""The flag of the code of a generator, as `inspect.CO_GENERATOR`."""
_ELEMENTS: Final = 100
"""How many of a sequence are looked at."""
_DEPTH: Final = 2
"""How deep in the fields of an argument a wrong one is looked for."""


class WrongType(UsageError, TypeError):
    """An argument of another type than the documented one."""


def names_wrong_arguments(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Decorate a function: where an argument of a wrong type makes it fail, `WrongType` names the
    argument."""

    is_generator = bool(function.__code__.co_flags & _CO_GENERATOR)

    @wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return function(*args, **kwargs)
        except FOREIGN as error:
            wrong = wrong_call(function, args, kwargs)
            if wrong is None or isinstance(error, UsageError):
                raise
            raise wrong from None

    @wraps(function)
    def iterate(*args: _P.args, **kwargs: _P.kwargs) -> Iterator[Any]:
        try:
            yield from cast(Iterator[Any], function(*args, **kwargs))
        except FOREIGN as error:
            wrong = wrong_call(function, args, kwargs)
            if wrong is None or isinstance(error, UsageError):
                raise
            raise wrong from None

    return cast(Callable[_P, _R], iterate) if is_generator else call


def require_right_arguments(function: Callable[..., object], *args: object) -> None:
    """Raise `WrongType` if an argument has a wrong type: for methods that fail, and that are called
    too often to be decorated."""
    wrong = wrong_call(function, args, {})
    if wrong is not None:
        raise wrong from None


def wrong_call(
    function: Callable[..., object], args: tuple[object, ...], kwargs: Mapping[str, object]
) -> WrongType | None:
    """Return the error for the first argument of a wrong type; None if there is none."""
    from inspect import signature  # takes longer to load than most commands

    declared = signature(function)
    try:
        bound = declared.bind(*args, **kwargs)
    except TypeError:  # too many, too few, or unknown names: Python has said which
        return None
    for name, value in bound.arguments.items():
        annotation = declared.parameters[name].annotation
        if name == "cls":
            continue
        if name == "self":
            wrong = _wrong_field(type(value).__name__, value, 1)
        else:
            wrong = _wrong(name, value, annotation, function.__module__, 0)
        if wrong is not None:
            return WrongType(f"{function.__qualname__}: {wrong}")
    return None


def _wrong(name: str, value: object, annotation: object, module: str, depth: int) -> str | None:
    """Return what is wrong with a value; None if it is of the annotated type."""
    expected = _evaluated(annotation, module)
    if not _fits(value, expected, module):
        return str(wrong_argument(name, value, _text(expected)))
    return _wrong_field(name, value, depth + 1)


def _wrong_field(name: str, value: object, depth: int) -> str | None:
    """Return what is wrong with a field of an object, as the architecture of a context."""
    from inspect import signature

    kind = type(value)
    has_fields = {"__struct_fields__", "__attrs_attrs__"} & {*dir(kind)}
    if depth > _DEPTH or not has_fields or not kind.__module__.startswith("dwarfgpu."):
        return None
    try:
        parameters = signature(kind).parameters
    except NameError:  # msgspec evaluates annotations, some of them are for type checkers only
        return None
    for parameter in parameters:
        field = parameter if parameter in dir(kind) else f"_{parameter}"
        annotation, module = _declared(kind, field)
        wrong = _wrong(f"{name}.{parameter}", getattr(value, field), annotation, module, depth)
        if wrong is not None:
            return wrong
    return None


def _declared(kind: type, name: str) -> tuple[object, str]:
    """Return the annotation of a field, and the module in which it stands."""
    for base in kind.__mro__:
        if name in vars(base).get("__annotations__", {}):
            return vars(base)["__annotations__"][name], base.__module__
    return Any, kind.__module__


def wrong_field(instance: object) -> WrongType | None:
    """Return the error for the first field of a wrong type; None if there is none."""
    name = type(instance).__name__
    wrong = _wrong_field(name, instance, 1)
    return None if wrong is None else WrongType(wrong)


class _Names(dict[str, object]):
    """The names of annotations; modules import some of them for type checkers only."""

    def __init__(self, module: str) -> None:
        super().__init__()
        self._own = vars(sys.modules[module])

    def __missing__(self, name: str) -> object:
        if name in self._own:
            return self._own[name]
        loaded = [module for path, module in sys.modules.items() if path.startswith("dwarfgpu.")]
        named = [vars(module)[name] for module in loaded if name in vars(module)]
        classes: set[Any] = {value for value in named if isinstance(value, type)}
        if not named:
            raise KeyError(name)
        return reduce(or_, classes) if classes else named[0]


def _evaluated(annotation: object, module: str) -> object:
    """Return the type of an annotation; `Any` where a name of it is not loaded."""
    while isinstance(annotation, str):
        try:
            annotation = eval(annotation, {}, _Names(module))
        except (NameError, TypeError):
            return Any
    return annotation


def _fits(value: object, expected: object, module: str) -> bool:
    """Return whether a value is of a type, as far as it shows from outside."""
    expected = _evaluated(expected, module)
    origin, parts = get_origin(expected), get_args(expected)
    if origin in (Union, UnionType):
        return any(_fits(value, part, module) for part in parts)
    if origin is Literal:
        return value in parts
    if expected is None or expected is NoneType:
        return value is None
    if origin is tuple and parts[-1:] != (...,):
        return isinstance(value, tuple)
    kind = origin or expected
    if kind is Any or not isinstance(kind, type):  # or a variable
        return True
    if not _is_instance(value, kind):
        return False
    is_repeated = len([part for part in parts if part is not ...]) == 1
    if not is_repeated or not isinstance(value, Collection):
        return True
    return all(_fits(element, parts[0], module) for element in islice(value, _ELEMENTS))


def _is_instance(value: object, kind: type) -> bool:
    if kind in (int, float) and not isinstance(value, int | float):
        return hasattr(type(value), "__index__" if kind is int else "__float__")  # of NumPy
    if Protocol in kind.__bases__ and kind.__module__.startswith("dwarfgpu."):
        methods = (name for name in vars(kind) if not name.startswith("_"))
        return all(hasattr(type(value), name) or name in dir(value) for name in methods)
    try:
        return isinstance(value, float | int if kind is float else kind)
    except TypeError:  # a type that does not say which objects are of it
        return True


def _text(expected: object) -> str:
    """Return a type as it is written: `int or None`."""
    origin, parts = get_origin(expected), get_args(expected)
    if origin in (Union, UnionType):
        return " or ".join(map(_text, parts))
    if expected is None or expected is NoneType:
        return "None"
    if origin is Literal:
        return " or ".join(map(repr, parts))
    kind = origin or expected
    name = kind.__name__ if isinstance(kind, type) else str(kind)
    elements = [_text(part) for part in parts if part is not ...]
    return f"{name} of {elements[0]}" if len(elements) == 1 else name
