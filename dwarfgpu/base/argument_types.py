"""Wrong types of arguments of public functions: an error that names the argument. One of a few
words (`Literal`) that is another word has a wrong value.

Laws: a call with right arguments costs one call more. The annotations are read once for each
combination of types of arguments; every call reads those of collections, whose elements differ.
What an integer is, `dwarfgpu.base.arguments.is_integer` says alone.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce, wraps
from itertools import islice
from operator import attrgetter, is_, or_
from os import PathLike
from types import FunctionType, NoneType, UnionType
from typing import (
    Any,
    Final,
    Literal,
    ParamSpec,
    Protocol,
    SupportsFloat,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
)

from dwarfgpu.base.arguments import (
    FOREIGN,
    WrongType,
    WrongValue,
    is_hashable,
    is_integer,
    plain_argument,
    wrong_type,
    wrong_value,
)
from dwarfgpu.errors import UsageError, shortened, shown

_P = ParamSpec("_P")
_R = TypeVar("_R")

_CO_VARARGS: Final = 0x04
"""The flag of the code of a function with `*args`, as `inspect.CO_VARARGS`."""
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
_KINDS: Final = 100
"""How many combinations of types are known to be right for each function."""
_TYPES: Final[dict[tuple[str, str], tuple[object, int]]] = {}
"""The types of annotations, by their text and module; with how many modules were loaded if names
are not of the module itself, and 0 otherwise."""
_LISTS: Final = frozenset((tuple, list))
"""Arguments of these types are right if their elements have right types."""
_CONTENTS: Final = (bytes, bytearray, memoryview)
"""What has bytes, and what bytes are expected to be."""
_SETS: Final = (tuple, frozenset)
"""Fields of these types have few elements."""
_FIELDS: Final[dict[type, tuple[list[str], Callable[[object], tuple[Any, ...]]]]] = {}
"""The names of the parameters of classes, and what gives the values of an object."""
_RIGHT_FIELDS: Final[dict[type, set[object]]] = {}
"""The types of fields that were right, by class."""
_LONGEST_INTEGER: Final = 4096
"""Bits of an integer that can be right: Python refuses to print much longer ones."""


def names_wrong_arguments(function: Callable[_P, _R], title: str | None = None) -> Callable[_P, _R]:
    """Decorate a function: an argument of a wrong type is a `WrongType` that names it, before the
    call, or where a field of it makes the call fail. The function gets numbers and truth values of
    NumPy as those of Python, which have no width. `title`: what messages call it."""

    right: set[object] = set()
    title = title or _name_of(function)

    @wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        if kwargs or tuple(map(type, args)) not in right:
            args, kwargs = _judged(function, title, args, kwargs, right)  # type: ignore[assignment]
        try:
            return function(*args, **kwargs)
        except FOREIGN as error:
            may_be_wrong = _may_be_wrong_type(error)
            wrong = wrong_call(function, args, kwargs, title) if may_be_wrong else None
            if wrong is None:
                raise
            raise wrong from None

    @wraps(function)
    def begin(*args: _P.args, **kwargs: _P.kwargs) -> Iterator[Any]:
        args, kwargs = _judged(function, title, args, kwargs, right)  # type: ignore[assignment]
        # Too many or too few arguments are an error here, as of every call.
        return iterate(cast(Iterator[Any], function(*args, **kwargs)), args, kwargs)

    def iterate(
        iterator: Iterator[Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Iterator[Any]:
        try:
            yield from iterator
        except FOREIGN as error:
            may_be_wrong = _may_be_wrong_type(error)
            wrong = wrong_call(function, args, kwargs, title) if may_be_wrong else None
            if wrong is None:
                raise
            raise wrong from None

    is_generator = bool(function.__code__.co_flags & _CO_GENERATOR)
    return cast(Callable[_P, _R], begin if is_generator else call)


def methods_name_wrong_arguments(kind: type[_R]) -> type[_R]:
    """Decorate a class: `names_wrong_arguments` of each public method with arguments that it has,
    from its bases, too, which stay as they are; not of those that ask `require_right_arguments`
    where they fail."""
    methods = {name: value for base in reversed(kind.__mro__) for name, value in vars(base).items()}
    for name, method in methods.items():
        function = method.__func__ if isinstance(method, classmethod) else method
        if name.startswith("_") or type(function) is not FunctionType:
            continue
        judges_itself = require_right_arguments.__name__ in function.__code__.co_names
        if judges_itself or "__wrapped__" in vars(function):  # as decorated functions have
            continue
        code = function.__code__
        if code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & _CO_VARARGS) > 1:
            judging: Any = names_wrong_arguments(function, f"{kind.__name__}.{name}")
            setattr(kind, name, judging if function is method else classmethod(judging))
    return kind


def _judged(
    function: Callable[..., object],
    title: str,
    args: tuple[object, ...],
    kwargs: Mapping[str, object],
    right: set[object],
) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """Return the arguments with numbers of Python; `WrongType` for one of a wrong type.

    `right`: the types of arguments that were right in calls of the function, whatever their values.
    """
    key: object = tuple(map(type, args))
    if kwargs:
        key = key, *kwargs, *map(type, kwargs.values())
    values: tuple[Any, ...] = (*args, *kwargs.values()) if kwargs else args
    if not _LISTS.isdisjoint(map(type, values)):
        key = key, *[frozenset(map(type, value)) for value in values if type(value) in _LISTS]
    if key in right:
        return args, kwargs
    plain = tuple(map(plain_argument, args))
    named = {name: plain_argument(value) for name, value in kwargs.items()}
    code, module = function.__code__, function.__module__
    end = code.co_argcount + code.co_kwonlyargcount
    names = code.co_varnames[:end]
    pairs = [*zip(names[: code.co_argcount], plain, strict=False), *named.items()]
    if code.co_flags & _CO_VARARGS:
        names += (code.co_varnames[end],)
        pairs += [(code.co_varnames[end], value) for value in plain[code.co_argcount :]]
    is_decided = True
    for name, value in pairs:
        if name in ("self", "cls") or name not in names:  # Python says which name is unknown
            continue
        expected = _evaluated(function.__annotations__[name], module)
        if not _fits(value, expected, module):
            raise _titled(f"{title}: ", _refusal(name, value, expected, module))
        is_in_key = type(value) in _LISTS
        is_decided = is_decided and (is_in_key or _is_decided_by_type(value, expected, module))
    is_plain = all(map(is_, (*plain, *named.values()), values))  # others are replaced in each call
    if is_decided and is_plain and len(right) < _KINDS:
        right.add(key)
    return plain, named


def _name_of(function: Callable[..., object]) -> str:
    """Return the name of a function as its caller knows it."""
    return function.__qualname__.rpartition("<locals>.")[2]


def _may_be_wrong_type(error: Exception) -> bool:
    """Return whether an error may be that of an argument; of calls within each other, the outermost
    names it."""
    return type(error) in (WrongType, WrongValue) or not isinstance(error, UsageError)


def require_right_arguments(
    function: Callable[..., object], *args: object, **kwargs: object
) -> None:
    """Raise `WrongType` if an argument has a wrong type: for methods that fail, and that are called
    too often to be decorated."""
    wrong = wrong_call(function, args, kwargs)
    if wrong is not None:
        raise wrong from None


def wrong_call(
    function: Callable[..., object],
    args: tuple[object, ...],
    kwargs: Mapping[str, object],
    title: str | None = None,
) -> UsageError | None:
    """Return the error for the first wrong argument; None if there is none. `title`: the name of
    the function in it, by default its own."""
    from inspect import signature  # takes longer to load than most commands

    declared = signature(function)
    try:
        bound = declared.bind(*args, **kwargs)
    except TypeError:  # too many, too few, or unknown names: Python has said which
        return None
    for name, value in bound.arguments.items():
        parameter = declared.parameters[name]
        annotation = parameter.annotation
        if name == "cls":
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            annotation = f"tuple[{annotation}, ...]"
        if name == "self":
            wrong = _wrong_field(type(value).__name__, value, 1)
        else:
            wrong = _wrong(name, value, annotation, function.__module__, 0)
        if wrong is not None:
            return _titled(f"{title or _name_of(function)}: ", wrong)
    return None


def _titled(title: str, wrong: UsageError) -> UsageError:
    return type(wrong)(title + wrong.message)


def _wrong(
    name: str, value: object, annotation: object, module: str, depth: int
) -> UsageError | None:
    """Return the error for a wrong value; None if it is of the annotated type."""
    expected = _evaluated(annotation, module)
    if not _fits(value, expected, module):
        return _refusal(name, value, expected, module)
    for index, element in enumerate(value[:_NOUNS] if isinstance(value, tuple | list) else ()):
        wrong = _wrong_contents(f"{name}[{index}]", element, depth)
        if wrong is not None:
            return wrong
    return _wrong_contents(name, value, depth)


def _wrong_contents(name: str, value: object, depth: int) -> UsageError | None:
    """Return the error for a value of a right type that is too long, or that has a wrong field."""
    if isinstance(value, int) and value.bit_length() > _LONGEST_INTEGER:
        return WrongValue(f"{name}: an integer of {value.bit_length()} bits")
    return _wrong_field(name, value, depth + 1)


def _wrong_field(name: str, value: object, depth: int) -> UsageError | None:
    """Return the error for a wrong field of an object, as the architecture of a context."""
    if isinstance(value, type):
        return None  # a class that is called, as a function is
    kind = type(value)
    has_fields = {"__struct_fields__", "__attrs_attrs__"} & _attributes_of(cast(Any, kind))
    is_location = kind.__module__.startswith("dwarfgpu.model.")
    if depth > (_DEPTH_OF_LOCATION if is_location else _DEPTH):
        return None
    if not has_fields or not kind.__module__.startswith("dwarfgpu."):
        return None
    for parameter in _parameters_of(cast(Any, kind)):
        field = parameter if parameter in _attributes_of(cast(Any, kind)) else f"_{parameter}"
        annotation, module = _declared(kind, field)
        wrong = _wrong(f"{name}.{parameter}", getattr(value, field), annotation, module, depth)
        if wrong is not None:
            return wrong
    return None


@lru_cache(maxsize=100)
def _attributes_of(kind: type) -> frozenset[str]:
    return frozenset(dir(kind))


@lru_cache(maxsize=100)
def _parameters_of(kind: type) -> tuple[str, ...]:
    from inspect import signature

    try:
        return tuple(signature(kind).parameters)
    except NameError:  # msgspec evaluates annotations, some of them are for type checkers only
        return ()


def _declared(kind: type, name: str) -> tuple[object, str]:
    """Return the annotation of a field, and the module in which it stands."""
    for base in kind.__mro__:
        if name in vars(base).get("__annotations__", {}):
            return vars(base)["__annotations__"][name], base.__module__
    return Any, kind.__module__


def wrong_field(instance: object) -> UsageError | None:
    """Return the error for the first wrong field; None if there is none."""
    return _wrong_field(type(instance).__name__, instance, 1)


def refuse_wrong_field(instance: object) -> None:
    """Raise `WrongType` if a field has a wrong type: for properties that fail."""
    wrong = wrong_field(instance)
    if wrong is not None:
        raise wrong from None


def require_right_fields(instance: object, fields: Callable[[Any], Iterable[Any]]) -> None:
    """Raise `WrongType` for the first field of a wrong type, also if no question has used it yet:
    for a class whose objects a script makes. `fields` is that of `dwarfgpu.base.records`."""
    kind = type(instance)
    if kind not in _FIELDS:
        names = [spec.name for spec in fields(kind) if spec.init]
        _FIELDS[kind], _RIGHT_FIELDS[kind] = (names, attrgetter(*names)), set()
    names, values_of = _FIELDS[kind]
    values, right = values_of(instance), _RIGHT_FIELDS[kind]
    key = tuple([(type(v), *map(type, v)) if _is_small(v) else type(v) for v in values])
    if key in right:
        return
    is_decided = True
    for name, value in zip(names, values, strict=True):
        expected, module = _declared(kind, name)
        if not _fits(value, expected, module):
            raise _titled(f"{kind.__name__}.", _refusal(name, value, expected, module))
        is_in_key = _is_small(value)
        is_decided = is_decided and (is_in_key or _is_decided_by_type(value, expected, module))
    if is_decided and len(right) < _KINDS:
        right.add(key)


def _is_small(value: object) -> bool:
    """Return whether the types of its elements are in the key: of a mapping, only if it is
    empty."""
    return isinstance(value, _SETS) or (type(value) is dict and not value)


class _Names(dict[str, object]):
    """The names of annotations; modules import some of them for type checkers only."""

    def __init__(self, module: str) -> None:
        super().__init__()
        self._own = vars(sys.modules[module])
        self.is_own = True
        """Whether the module itself has all of the names that were looked up."""

    def __missing__(self, name: str) -> object:
        if name in self._own:
            return self._own[name]
        if name in vars(builtins):
            return vars(builtins)[name]
        if name == "Path":  # loading it takes longer than most commands
            return PathLike
        self.is_own = False
        loaded = [module for path, module in sys.modules.items() if path.startswith("dwarfgpu.")]
        named = [vars(module)[name] for module in loaded if name in vars(module)]
        classes: set[Any] = {value for value in named if isinstance(value, type)}
        if not named:
            raise KeyError(name)
        # Another name for types, in one module, is not what it is in another.
        return reduce(or_, classes) if all(value in classes for value in named) else Any


def _evaluated(annotation: object, module: str) -> object:
    """Return the type of an annotation; `Any` where a name of it is not loaded."""
    while isinstance(annotation, str):
        known, loaded = _TYPES.get((annotation, module), (Any, None))
        if loaded not in (0, len(sys.modules)):
            names = _Names(module)
            try:
                known = eval(annotation, {}, names)
            except (NameError, TypeError):
                known = Any
            _TYPES[annotation, module] = known, 0 if names.is_own else len(sys.modules)
        annotation = known  # the text of another one, if it is that of an alias
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
    if isinstance(value, str) and not _fits("", parts[0], module):  # an empty one, too
        return False
    try:
        of_each_type = {type(element): element for element in islice(value, _ELEMENTS)}
        return all(_fits(element, parts[0], module) for element in of_each_type.values())
    except TypeError:  # an array of NumPy without dimensions
        return False


def _refusal(name: str, value: object, annotation: object, module: str) -> UsageError:
    """Return the error for a value of a wrong type; it names the element that is wrong."""
    expected = _evaluated(annotation, module)
    is_union = get_origin(expected) in (Union, UnionType)
    kinds = get_args(expected) if is_union else (expected,)
    for kind in kinds:
        origin, parts = get_origin(kind), get_args(kind)
        if isinstance(value, Mapping) and origin is Mapping:
            for key, element in islice(value.items(), _ELEMENTS):
                if not _fits(key, parts[0], module):
                    return wrong_type(f"key of {name}", key, _text(parts[0]))
                if not _fits(element, parts[1], module):
                    return wrong_type(f"{name}[{_key_text(key)}]", element, _text(parts[1]))
        is_list = isinstance(value, tuple | list) or _is_row(value)
        if not is_list or not isinstance(origin, type) or not _is_instance(value, origin):
            continue
        for index, element in enumerate(islice(cast(Iterable[object], value), _ELEMENTS)):
            if not _fits(element, parts[0], module):
                return wrong_type(f"{name}[{index}]", element, _text(parts[0]))
    choices = [choice for kind in kinds if get_origin(kind) is Literal for choice in get_args(kind)]
    error = wrong_value if type(value) in map(type, choices) else wrong_type
    return error(name, value, _text(expected))


def _key_text(key: object) -> str:
    """Return a key of a right type; a number too large to print has its size."""
    return shown(key) if isinstance(key, int) else shortened(repr(key))


def _is_decided_by_type(value: object, expected: object, module: str) -> bool:
    """Return whether all values of the type of a right value are right."""
    expected = _evaluated(expected, module)
    origin, parts = get_origin(expected), get_args(expected)
    if origin in (Union, UnionType):
        return any(
            _is_decided_by_type(value, part, module) and _fits(value, part, module)
            for part in parts
        )
    return origin in (None, Callable)


def _is_instance(value: object, kind: type) -> bool:
    if kind is int:
        return is_integer(value)
    if kind is float and not isinstance(value, int | float):
        return isinstance(value, SupportsFloat) and is_hashable(value)  # no array
    if kind is bytes:
        return isinstance(value, _CONTENTS)  # as `contents`
    if kind is Sequence:  # bytes are given for their contents, and an array of NumPy is none
        return _is_array(value) or (isinstance(value, kind) and not isinstance(value, _CONTENTS))
    if kind.__name__ == "Path" and kind.__module__.startswith("pathlib"):  # a folder's entry, too
        return isinstance(value, PathLike)
    if Protocol in kind.__bases__ and kind.__module__.startswith("dwarfgpu."):
        if "__getattr__" in dir(type(value)):  # it may forward any of them
            return True
        methods = (name for name in vars(kind) if not name.startswith("_"))
        return all(hasattr(type(value), name) or name in dir(value) for name in methods)
    try:
        return isinstance(value, float | int if kind is float else kind)
    except TypeError:  # a type that does not say which objects are of it
        return True


def _is_array(value: object) -> bool:
    """Return whether a value is an array of NumPy, which need not be loaded."""
    return (type(value).__module__, type(value).__name__) == ("numpy", "ndarray")


def _is_row(value: object) -> bool:
    """Return whether a value is an array with elements: one without dimensions has none."""
    return _is_array(value) and bool(cast(Any, value).ndim)


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
    name = "Path" if kind is PathLike else name
    elements = [_text(part) for part in parts if part is not ...]
    return f"{name} of {elements[0]}" if len(elements) == 1 else name
