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

from dwarfgpu.base.arguments import (
    FOREIGN,
    WrongType,
    is_hashable,
    plain_integer,
    wrong_argument,
)
from dwarfgpu.errors import UsageError

_P = ParamSpec("_P")
_R = TypeVar("_R")

_CO_GENERATOR: Final = 0x20
"""The flag of the code of a generator, as `inspect.CO_GENERATOR`."""
_ELEMENTS: Final = 100
"""How many of a sequence are looked at."""
_DEPTH: Final = 2
"""How deep in the fields of an argument a wrong one is looked for."""
_DEPTH_OF_LOCATION: Final = 5
"""The same in location descriptions: their single locations, storages and registers."""
_NOUNS: Final = 16
"""How many elements of a tuple have their fields looked at."""
_LONGEST_INTEGER: Final = 4096
"""Bits of an integer that can be right: Python refuses to print much longer ones."""


def names_wrong_arguments(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Decorate a function: where an argument of a wrong type makes it fail, `WrongType` names the
    argument. It gets numbers of NumPy as those of Python, which have no width."""

    is_generator = bool(function.__code__.co_flags & _CO_GENERATOR)

    @wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            for value in args:
                if type(value).__module__ == "numpy":  # no call: most arguments are plain
                    return function(*map(plain_integer, args), **_plain_values(kwargs))
            return function(*args, **(_plain_values(kwargs) if kwargs else kwargs))
        except FOREIGN as error:
            wrong = wrong_call(function, args, kwargs) if _may_be_wrong_type(error) else None
            if wrong is None:
                raise
            raise wrong from None

    @wraps(function)
    def iterate(*args: _P.args, **kwargs: _P.kwargs) -> Iterator[Any]:
        try:
            items = function(*map(plain_integer, args), **_plain_values(kwargs))
            yield from cast(Iterator[Any], items)
        except FOREIGN as error:
            wrong = wrong_call(function, args, kwargs) if _may_be_wrong_type(error) else None
            if wrong is None:
                raise
            raise wrong from None

    return cast(Callable[_P, _R], iterate) if is_generator else call


def _may_be_wrong_type(error: Exception) -> bool:
    """Return whether an error may be that of an argument; of calls within each other, the outermost
    names it."""
    return type(error) is WrongType or not isinstance(error, UsageError)


def _plain_values(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    return {name: plain_integer(value) for name, value in kwargs.items()}


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
    if isinstance(value, int) and value.bit_length() > _LONGEST_INTEGER:
        return f"{name}: an integer of {value.bit_length()} bits"
    for index, element in enumerate(value[:_NOUNS] if isinstance(value, tuple) else ()):
        wrong = _wrong_field(f"{name}[{index}]", element, depth + 1)
        if wrong is not None:
            return wrong
    return _wrong_field(name, value, depth + 1)


def _wrong_field(name: str, value: object, depth: int) -> str | None:
    """Return what is wrong with a field of an object, as the architecture of a context."""
    from inspect import signature

    kind = type(value)
    has_fields = {"__struct_fields__", "__attrs_attrs__"} & {*dir(kind)}
    is_location = kind.__module__.startswith("dwarfgpu.model.")
    if depth > (_DEPTH_OF_LOCATION if is_location else _DEPTH):
        return None
    if not has_fields or not kind.__module__.startswith("dwarfgpu."):
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
        return any(isinstance(value, type(part)) and value == part for part in parts)
    if expected is None or expected is NoneType:
        return value is None
    if origin is tuple and parts[-1:] != (...,):
        return isinstance(value, tuple)
    kind = origin or expected
    if kind is Any or not isinstance(kind, type):  # or a variable
        return True
    if not _is_instance(value, kind):
        return False
    if isinstance(value, Mapping) and len(parts) == 2:
        items = islice(value.items(), _ELEMENTS)
        return all(
            _fits(of, part, module) for item in items for of, part in zip(item, parts, strict=True)
        )
    is_repeated = len([part for part in parts if part is not ...]) == 1
    if not is_repeated or not isinstance(value, Collection):
        return True
    try:
        return all(_fits(element, parts[0], module) for element in islice(value, _ELEMENTS))
    except TypeError:  # an array of NumPy without dimensions
        return False


def _is_instance(value: object, kind: type) -> bool:
    if kind in (int, float) and not isinstance(value, int | float):
        method = "__index__" if kind is int else "__float__"
        is_number = kind is float or type(value).__module__ == "numpy"  # as `plain_integer`
        return is_number and hasattr(type(value), method) and is_hashable(value)  # no array
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
        return " or ".join(dict.fromkeys(map(_text, parts)))
    if expected is None or expected is NoneType:
        return "None"
    if origin is Literal:
        return " or ".join(map(repr, parts))
    kind = origin or expected
    name = kind.__name__ if isinstance(kind, type) else str(kind)
    elements = [_text(part) for part in parts if part is not ...]
    return f"{name} of {elements[0]}" if len(elements) == 1 else name
