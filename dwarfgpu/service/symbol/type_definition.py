"""Find the type that an expression has or names, and its definition, for `whatis` and `ptype`."""

from __future__ import annotations

import re
from collections.abc import Callable, Set
from functools import partial
from typing import Final

from dwarfgpu import language
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.constants import WITH_TYPES_OF_C, AsInCplusplus, Spelling, Style
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.declarations import qualified_name
from dwarfgpu.dwarf.scope.scope_entries import CONTAINERS
from dwarfgpu.dwarf.scope.undecided_class import instances_of
from dwarfgpu.dwarf.types.types import Qualified, Type, Typedef
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.language import Options, Typed
from dwarfgpu.language.name_resolution import Names
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.other_units import (
    completed,
    completed_below,
    requalified,
    require_one_instance,
)
from dwarfgpu.language.real_types import real_object, real_pointer
from dwarfgpu.language.untyped_symbols import INDIRECT, TEXT
from dwarfgpu.session.session import Session
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.type_layout import layout
from dwarfgpu.view.type_offsets import offset_text
from dwarfgpu.view.type_text import type_text

_TYPE_OF: Final = re.compile(r"(?:__)?(?:typeof|decltype)(?:__)?\s*\(")
_NAME: Final = re.compile(r"[^\W\d]\w*(?:::[^\W\d]\w*)*")


@frozen
class TypeDefinition:
    """A type with its components, in the syntax of its language."""

    name: str
    text: str
    layout: Callable[[], JsonObject]
    """Returns the members `bit_size`, `members` … of `docs/schema/repl.json`: work that the text
    does not need."""
    has_offsets: bool = False
    """Whether the text has the offset and size of each member."""

    @property
    def record(self) -> JsonObject:
        return {"type": self.name, **self.layout(), "definition": self.text}


def name_of_type(
    session: Session, text: str, options: Options, spelling: Spelling | None = None
) -> str:
    """Return the type of an expression, which is not evaluated; of a typedef its target.

    `text`: an expression, or the name of a type, namespace or module. `spelling`: by default that
    of its unit. Raises the errors of `dwarfgpu.language.type_of`.
    """
    scope = _scope(session, text)
    if scope is not None:
        return qualified_name(scope)
    named = language.named_type(text, session, options)
    if named is not None and not _TYPE_OF.match(text):
        named = _without_name(named)
    typed = named or _type_of(session, text, options)
    cplusplus, style = spelling or (typed.is_cplusplus, typed.style)
    real = "" if named is not None else _real_type(session, text, options, cplusplus, style)
    return real + type_name(typed.type, cplusplus=cplusplus, style=style)


def _without_name(named: Typed) -> Typed:
    """Return the type that a typedef names, without the qualifiers around the name, as GDB; a
    subrange of Ada is a type of its own."""
    kind = named.type
    while isinstance(kind, Qualified):
        kind = kind.target
    is_name = isinstance(kind, Typedef) and kind.range is None
    return Typed(kind.target, named.unit) if isinstance(kind, Typedef) and is_name else named


def definition_of_type(
    session: Session,
    text: str,
    options: Options,
    spelling: Spelling | None = None,
    flags: Set[str] = frozenset(),
) -> TypeDefinition:
    """Return the definition of a type, as `name_of_type`; `flags` are the letters of `ptype`."""
    scope = _scope(session, text)
    if scope is not None:
        word = "module" if scope.tag == dw.TAG_MODULE else "namespace"
        name = f"{word} {qualified_name(scope)}"
        return TypeDefinition(name, name, dict)
    named = language.named_type(text, session, options)
    typed = named or _type_of(session, text, options)
    if typed.type is TEXT or typed.type is INDIRECT:
        name = "<unknown return type> ()"
        return TypeDefinition(name, name, dict)
    cplusplus, style = spelling or (typed.is_cplusplus, typed.style)
    name = type_name(typed.type, cplusplus=cplusplus, style=style)
    whole = completed_below(session, typed.type, _defined)
    parts = partial(layout, whole, cplusplus=cplusplus)
    if "o" in flags and style in WITH_TYPES_OF_C:
        # Components as they are in the object, which has the descriptor of one of unknown length.
        shown = offset_text(
            whole,
            cplusplus=cplusplus,
            is_hexadecimal="x" in flags,
            has_methods="M" in flags,
            has_typedefs="T" in flags,
            is_raw="r" in flags,
        )
        if shown is not None:
            return TypeDefinition(name, shown, parts, has_offsets=True)
    if named is None and typed.style != "c":
        from dwarfgpu.service.symbol.member_lengths import with_lengths  # few programs

        whole = with_lengths(session, text, options, whole)
    if typed.style == "ada":
        from dwarfgpu.language.ada.subtype_bounds import with_bounds  # few programs

        whole = with_bounds(ObjectAccess(session), whole)
    parts = partial(layout, whole, cplusplus=cplusplus)
    shown = type_text(
        whole,
        cplusplus=cplusplus,
        style=style,
        has_methods="m" not in flags,
        has_typedefs="t" not in flags,
        is_raw="r" in flags,
    )
    real = "" if named is not None else _real_type(session, text, options, cplusplus, style)
    return TypeDefinition(name, real + shown, parts)


def _defined(session: Session, type_: Type | None) -> Type | None:
    """Return a class as a unit defines it: of several instances of a template that it may be the
    first, if all have one text and size. `UsageError` if not."""
    instances = instances_of(type_)
    if not instances:
        return completed(session, type_)
    if len({(type_text(one, cplusplus=True), one.size_bytes) for one in instances}) > 1:
        require_one_instance(type_)
    return requalified(instances[0], type_)


def _real_type(
    session: Session, text: str, options: Options, cplusplus: AsInCplusplus, style: Style
) -> str:
    """Return the comment before the type of a variable with the class that its object was created
    as (`set print object`); empty for other expressions, which are not evaluated."""
    if not options.real_types or not (text.isidentifier() or _NAME.fullmatch(text)):
        return ""
    value = language.evaluate(text, session, options)
    objects = ObjectAccess(session)
    real = real_pointer(objects, value)
    if real is value:
        whole = real_object(objects, value)
        if whole is None:
            return ""
        real = whole.value
    name = type_name(real.type, cplusplus=cplusplus, style=style)
    return f"/* real type = {name} */\n"


def _scope(session: Session, text: str) -> Die | None:
    """Return the entry of a namespace, or of a module; None for anything else."""
    if not _NAME.fullmatch(text):
        return None
    names = Names(session)
    try:
        entities = names.meaning(text)
        if names.is_type(text):
            return None  # a type that a language has comes before a module of its name
    except DwarfGpuError:
        return None  # its use raises the error
    first = entities[0] if entities else None
    return first if isinstance(first, Die) and first.tag in CONTAINERS else None


def _type_of(session: Session, text: str, options: Options) -> Typed:
    return language.type_of(text or "$", session, options)
