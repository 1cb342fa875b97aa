"""Classes with fields, as attrs declares them, made by msgspec.

A decorated class is made again as a `msgspec.Struct`, with what fields of msgspec lack: some are
keyword-only, private, no parameter, not compared or not shown, or have defaults that are computed
from the object.

Law: classes and objects behave as those that attrs makes (`dwarfgpu.base.attrs_classes`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from types import FunctionType, MemberDescriptorType
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, StructMeta
from msgspec import field as struct_field
from msgspec.structs import force_setattr, replace

from dwarfgpu.base.arguments import FOREIGN

if TYPE_CHECKING:
    from inspect import Signature

_MISSING: Final = object()
"""The default of a field without one, and the value of a field that is not computed yet."""
_construct: Final = StructMeta.__call__


class Factory:
    """A default that a function makes for each object."""

    __slots__ = ("factory", "takes_self")

    def __init__(self, factory: Callable[..., object], takes_self: bool = False) -> None:
        self.factory = factory
        self.takes_self = takes_self


class Field:
    """What a class says of one of its fields."""

    __slots__ = ("_default", "alias", "eq", "hash", "init", "kw_only", "name", "repr")

    def __init__(
        self,
        default: object = _MISSING,
        *,
        factory: Callable[[], object] | None = None,
        init: bool = True,
        repr: bool | Callable[[Any], str] = True,
        eq: bool = True,
        hash: bool | None = None,
        kw_only: bool = False,
    ) -> None:
        self._default = default if factory is None else Factory(factory)
        self.init = init
        self.repr = repr
        self.eq = eq
        self.hash = eq if hash is None else hash
        self.kw_only = kw_only

    def named(self, name: str) -> Field:
        """Return the same declaration, with the name of its field."""
        self.name = name
        self.alias = name.lstrip("_")
        return self

    def default(self, function: Callable[[Any], object]) -> Callable[[Any], object]:
        """Decorate the method that computes the default from the other fields of the object."""
        self._default = Factory(function, takes_self=True)
        return function

    @property
    def computed(self) -> Callable[[Any], object] | None:
        """What computes the default from the object."""
        default = self._default
        return default.factory if type(default) is Factory and default.takes_self else None

    @property
    def is_plain(self) -> bool:
        """Whether it is a parameter of the same name, and the default needs no object."""
        return self.init and self.alias == self.name and self.computed is None

    def shown_default(self, empty: object) -> object:
        """Return the default as a signature shows it: `empty` for none, `...` for a function's."""
        if type(self._default) is Factory:
            return ...
        return empty if self._default is _MISSING else self._default

    def struct_default(self) -> object:
        """Return the default in msgspec's form; `_MISSING` for none."""
        default = self._default
        if type(default) is not Factory:
            if default is _MISSING and not self.init:
                raise TypeError(f"the field {self.name} is not a parameter and needs a default")
            return default
        if default.takes_self:
            return struct_field(default=_MISSING)
        return struct_field(default_factory=default.factory)


field: Final = Field


class DeclaredMeta(StructMeta):
    """The class of classes with fields that msgspec lacks: it makes their signature."""

    @property
    def __signature__(cls) -> Signature:
        from inspect import Parameter, Signature

        specs = {spec.name: spec for spec in fields(cls)}
        annotations: dict[str, object] = {}
        for base in reversed(cls.__mro__):
            annotations.update(vars(base).get("__annotations__", {}))
        is_positional = cls.__match_args__.__contains__
        return Signature(
            [
                Parameter(
                    specs[name].alias,
                    Parameter.POSITIONAL_OR_KEYWORD
                    if is_positional(name)
                    else Parameter.KEYWORD_ONLY,
                    default=specs[name].shown_default(Parameter.empty),
                    annotation=annotations[name],
                )
                for name in cls.__struct_fields__
                if specs[name].init
            ]
        )


class PrivateMeta(DeclaredMeta):
    """The class of classes with private fields, whose parameters have no underscore."""

    __renamed__: tuple[tuple[str, str], ...]
    """Parameters with other names than their fields, and these."""

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        if named:
            for parameter, name in cls.__renamed__:
                if parameter in named:
                    named[name] = named.pop(parameter)
        return _construct(cls, *arguments, **named)


def define(maybe_class: type | None = None, /, **options: Any) -> Any:
    """Make a class with the annotated fields of the decorated one.

    Options: `eq=False` for objects that are equal to themselves alone, and that can be referred to
    weakly; `cache_hash`; `slots=False` for objects that can be given other attributes.
    """
    if maybe_class is None:
        return lambda decorated: _create(decorated, **options)
    return _create(maybe_class, **options)


def frozen(maybe_class: type | None = None, /, **options: Any) -> Any:
    """Make a class as `define` does, whose fields do not change."""
    return define(maybe_class, frozen=True, **options)


def fields(kind: Any) -> tuple[Field, ...]:
    """Return the fields of a class, those of its bases first."""
    specs: tuple[Field, ...] = kind.__declared_fields__
    return specs


def has(kind: Any) -> bool:
    """Return whether `define` or `frozen` made a class, or one that it is derived from."""
    return isinstance(kind, StructMeta)


def evolve(instance: Any, /, **changes: object) -> Any:
    """Return an object of the same class with other values for some parameters."""
    kind = type(instance)
    if type(kind) is StructMeta:
        return replace(instance, **changes)
    for spec in fields(kind):
        if spec.init and spec.alias not in changes:
            changes[spec.alias] = getattr(instance, spec.name)
    return kind(**changes)


def _create(
    draft: Any,
    *,
    frozen: bool = False,
    eq: bool = True,
    slots: bool = True,
    cache_hash: bool = False,
) -> Any:
    own, annotations, keyword, namespace = _declared(draft)
    structs = [base for base in draft.__mro__[1:] if has(base) and base is not Struct]
    inherited = []
    for spec in fields(structs[0]) if structs else ():
        if spec.name not in own:
            inherited.append(spec)
        elif not own[spec.name].kw_only:
            raise TypeError(f"{draft.__qualname__}: the field {spec.name} again, not keyword-only")
    specs = (*inherited, *own.values())
    namespace["__declared_fields__"] = specs
    if "__repr__" not in namespace:
        namespace["__repr__"] = _repr
    options: dict[str, Any] = {"frozen": True} if frozen else {}
    if not eq:
        options["weakref"] = True
    if not slots or any(
        isinstance(value, functools.cached_property) for value in namespace.values()
    ):
        options["dict"] = True
    own_eq = "__eq__" in namespace
    inherits_eq = any("__eq__" in vars(b) for b in draft.__mro__[1:-1] if b not in Struct.__mro__)
    if not eq and structs and structs[0].__struct_config__.eq:
        raise TypeError(f"{draft.__qualname__}: compared by identity, and its base by value")
    # With False msgspec does not ask the `__eq__` of a class for `!=`.
    options["eq"] = eq or own_eq or inherits_eq
    if eq and not own_eq:
        if cache_hash:
            options["cache_hash"] = True
        is_frozen = frozen or any(base.__struct_config__.frozen for base in structs)
        _compare(namespace, is_frozen, inherits_eq)
    computed = [(spec.name, spec.computed) for spec in specs if spec.computed is not None]
    checks = [vars(base).get("__attrs_post_init__") for base in draft.__mro__]
    check = next(filter(None, checks), None)
    if computed or check is not None:
        namespace["__post_init__"] = _post_init(computed, check)
    bases = tuple(base for base in draft.__bases__ if base is not object)
    if not structs:
        bases = (*bases, Struct)
    kind = type(draft) if type(draft) is not type else StructMeta
    if any(not spec.is_plain for spec in own.values()) or "__post_init__" in namespace:
        kind = _declared_metaclass(kind, specs, namespace)
    if keyword:
        bases = (kind(draft.__name__, bases, keyword, kw_only=True, **options),)
        namespace["__annotations__"] = {
            name: value
            for name, value in annotations.items()
            if name not in keyword["__annotations__"]
        }
    class_ = kind(draft.__name__, bases, namespace, **options)
    if keyword:
        class_.__annotations__ = annotations
    _rebind(draft, class_, [*vars(class_).values(), *(function for _, function in computed)])
    return class_


def _declared(
    draft: Any,
) -> tuple[dict[str, Field], dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return the fields that a class declares, its annotations, the namespace of its keyword-only
    fields, empty without any, and its own."""
    namespace = dict(vars(draft))
    for name in ("__dict__", "__weakref__", "__slots__"):
        namespace.pop(name, None)
    namespace["__qualname__"] = draft.__qualname__
    annotations = namespace.get("__annotations__", {})
    defaults: dict[str, object] = {}
    if has(draft):  # derived from a struct: the class statement made one already
        names = draft.__struct_fields__
        defaults.update(zip(reversed(names), reversed(draft.__struct_defaults__), strict=False))
    own: dict[str, Field] = {}
    keyword: dict[str, Any] = {}
    for name, annotation in annotations.items():
        if str(annotation).startswith(("ClassVar", "typing.ClassVar")):
            continue
        value = namespace.pop(name, _MISSING)
        if type(value) is MemberDescriptorType:
            value = _MISSING
        if value is _MISSING:
            value = defaults.get(name, _MISSING)
        spec = value if type(value) is Field else Field(value)
        own[name] = spec.named(name)
        default = spec.struct_default()
        taken = namespace
        if spec.kw_only or not spec.init:
            if not keyword:
                for word in ("__module__", "__qualname__"):
                    keyword[word] = namespace[word]
                keyword["__annotations__"] = {}
            keyword["__annotations__"][name] = annotation
            taken = keyword
        if default is not _MISSING:
            taken[name] = default
    return own, annotations, keyword, namespace


def _declared_metaclass(kind: type, specs: tuple[Field, ...], namespace: dict[str, Any]) -> type:
    renamed = [(spec.alias, spec.name) for spec in specs if spec.init and spec.alias != spec.name]
    if renamed:
        namespace["__renamed__"] = tuple(renamed)
    wanted = PrivateMeta if renamed else DeclaredMeta
    if issubclass(kind, wanted):
        return kind
    if issubclass(wanted, kind):
        return wanted
    return type(wanted.__name__, (wanted, kind), {})


def _compare(namespace: dict[str, Any], is_frozen: bool, inherits_eq: bool) -> None:
    """Add equality and hash where msgspec's differ."""
    specs = namespace["__declared_fields__"]
    if not is_frozen:
        namespace.setdefault("__hash__", None)
    if all(spec.eq is True and spec.hash for spec in specs):
        if inherits_eq:
            namespace["__eq__"] = Struct.__eq__
            namespace.setdefault("__hash__", Struct.__hash__)
        return
    namespace["__eq__"] = _eq_by(_key([spec for spec in specs if spec.eq]))
    if is_frozen and "__hash__" not in namespace:
        namespace["__hash__"] = _hash_by(_key([spec for spec in specs if spec.hash]))


def _key(specs: list[Field]) -> Callable[[Any], object]:
    """Return a function that reads what is compared of fields: several as a tuple, a single one as
    it is."""
    if any(callable(spec.eq) for spec in specs):
        names = [(spec.name, spec.eq) for spec in specs]
        return lambda instance: tuple(
            key(getattr(instance, name)) if callable(key) else getattr(instance, name)
            for name, key in names
        )
    return attrgetter(*(spec.name for spec in specs)) if specs else lambda instance: ()


def _eq_by(key: Callable[[object], object]) -> Callable[[object, object], bool]:
    def __eq__(self: object, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return key(self) == key(other)

    return __eq__


def _hash_by(key: Callable[[object], object]) -> Callable[[object], int]:
    def __hash__(self: object) -> int:
        return hash((self.__class__, key(self)))

    return __hash__


def _post_init(
    computed: list[tuple[str, Any]], check: Callable[[Any], None] | None
) -> Callable[[Any], None]:
    """Return a method that computes defaults, and then calls `__attrs_post_init__`; a field of a
    wrong type that makes it fail is a `WrongType`."""

    def __post_init__(self: Any) -> None:
        try:
            for name, function in computed:
                if getattr(self, name) is _MISSING:
                    force_setattr(self, name, function(self))
            if check is not None:
                check(self)
        except FOREIGN:
            from dwarfgpu.base.argument_types import wrong_field  # it needs this module

            wrong = wrong_field(self)
            if wrong is None:
                raise
            raise wrong from None

    return __post_init__


def _rebind(draft: type, class_: type, values: list[Any]) -> None:
    """Let `super()` and `__class__` in methods mean the class that was made."""
    for value in values:
        if type(value) is property:
            parts = [value.fget, value.fset]
        else:
            parts = [value]
            if isinstance(value, functools.cached_property):
                parts = [value.func]
            elif type(value) is classmethod or type(value) is staticmethod:
                parts = [value.__func__]
        for part in parts:
            if type(part) is not FunctionType or part.__closure__ is None:
                continue
            for name, cell in zip(part.__code__.co_freevars, part.__closure__, strict=True):
                if name == "__class__" and cell.cell_contents is draft:
                    cell.cell_contents = class_


@recursive_repr()
def _repr(self: Any) -> str:
    shown = ", ".join(
        f"{spec.name}={_shown(spec, getattr(self, spec.name))}"
        for spec in fields(type(self))
        if spec.repr
    )
    return f"{type(self).__qualname__.rpartition('>.')[2]}({shown})"


def _shown(spec: Field, value: object) -> str:
    """Return a value of a field; of a type that the field does not declare, whatever it shows."""
    for show in (spec.repr, repr):
        try:
            return (show if callable(show) else repr)(value)
        except FOREIGN:  # an integer of very many digits, too
            continue
    return f"{value:#x}" if isinstance(value, int) else object.__repr__(value)
