"""What a printer is, what it gives, and the registry of printers.

Law: a printer reads; it never writes and never raises anything but a `DwarfGpuError` or
`UnexpectedLayout`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import Final, Literal, TypeAlias, get_args

from dwarfgpu.base.argument_types import methods_name_wrong_arguments, require_right_fields
from dwarfgpu.base.arguments import integer, require, wrong_type, wrong_value
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve, field, fields, frozen
from dwarfgpu.dwarf.names.type_names import full_name
from dwarfgpu.dwarf.types.types import Struct
from dwarfgpu.errors import UsageError
from dwarfgpu.view.printers.printed_object import Object
from dwarfgpu.view.printers.template_names import template_name

_SET: Final = pattern(r"\[[A-Za-z0-9-]+\]")
"""Characters of a pattern, none of them a parenthesis."""
WHOLE: Final = ""
"""In the place of a printer's name: all of a collection."""

Form = Literal["members", "array", "map"]
"""How children are written: `{name = value}`, `{value, value}` or `{[key] = value}`."""
_FORMS: Final = get_args(Form)
UNGUARDED: Final = nullcontext()


class PrinterFailed(UsageError):
    """What a printer of a user gives cannot be shown; it is shown in place of that."""

    @property
    def kind(self) -> str:
        return "UsageError"


@frozen(eq=False)
class Characters:
    """A string of the program."""

    first: Object
    """Its first character, whose type determines its notation."""
    count: int
    """Characters, without a NUL after them."""

    def __attrs_post_init__(self) -> None:
        """Raise `UsageError` for a field of another type."""
        if not isinstance(self.first, Object):
            raise wrong_type("Characters.first", self.first, "Object")
        integer("Characters.count", self.count)


Child: TypeAlias = "tuple[str, Object | str]"
"""A name and a value; of a map keys and values take turns, and the names are not shown."""
SummaryPart: TypeAlias = "str | Characters | Object"


@frozen(eq=False)
class Printed:
    """What a printer says of an object."""

    summary: SummaryPart | tuple[SummaryPart, ...] | None = None
    """The text before the children; None if there are only children."""
    children: Iterable[Child] | None = None
    """None if the summary is complete. It is consumed only as far as it is shown, and may raise."""
    form: Form = "members"
    wrapped: Object | None = None
    """Shown in its place if a printer of its own has children: `lead`, the summary of the wrapped
    object, and its children."""
    lead: str = ""
    """What replaces the summary there."""
    formatted: Printed | None = None
    """What is said instead where a letter formats numbers, as in `print/x`; None for the same."""
    guard: AbstractContextManager[object] = field(default=UNGUARDED, repr=False)
    """Around all that reads and shows its parts: of a printer of a user, any error in it is a
    `PrinterFailed`."""

    def __attrs_post_init__(self) -> None:
        """Raise `UsageError` for a field of another type: reading and showing come much later."""
        for part in summary_parts(self):
            if not isinstance(part, str | Characters | Object):
                raise wrong_type("Printed.summary", part, "str, Characters or Object")
        if not isinstance(self.children, Iterable | None):
            raise wrong_type("Printed.children", self.children, "Iterable or None")
        if not isinstance(self.form, str):
            raise wrong_type("Printed.form", self.form, "str")
        if self.form not in _FORMS:
            raise wrong_value("Printed.form", self.form, " or ".join(map(repr, _FORMS)))
        if not isinstance(self.wrapped, Object | None):
            raise wrong_type("Printed.wrapped", self.wrapped, "Object or None")
        if not isinstance(self.lead, str):
            raise wrong_type("Printed.lead", self.lead, "str")
        if not isinstance(self.formatted, Printed | None):
            raise wrong_type("Printed.formatted", self.formatted, "Printed or None")


def summary_parts(printed: Printed) -> tuple[SummaryPart, ...]:
    """Return the parts before the children."""
    summary = printed.summary
    if summary is None:
        return ()
    return summary if isinstance(summary, tuple) else (summary,)


def children_of(printed: Printed) -> Iterator[Child]:
    """Yield the children; `UsageError` for one that is none."""
    children: Iterable[object] = printed.children or ()
    for child in children:
        if not isinstance(child, tuple) or len(child) != 2:
            raise wrong_type("Printed.children", child, "pairs of a name and a value")
        name, value = child
        if not isinstance(name, str):
            raise wrong_type("Printed.children: name", name, "str")
        if not isinstance(value, str | Object):
            raise wrong_type("Printed.children: value", value, "Object or str")
        yield name, value


Show: TypeAlias = Callable[[Object], Printed]
"""Says how an object is shown; `UnexpectedLayout` if the printer does not know its layout."""


@frozen
class Printer:
    """How objects of some classes are shown."""

    name: str
    """What `info pretty-printer` lists and `disable pretty-printer` takes."""
    pattern: str
    """A regular expression that the whole name of a class matches: `ns::Fixed`, without template
    arguments."""
    show: Show

    def __attrs_post_init__(self) -> None:
        """Raise `UsageError` for a field of another type."""
        require("Printer.name", self.name, str)
        require("Printer.pattern", self.pattern, str)
        if not callable(self.show):
            raise wrong_type("Printer.show", self.show, "Callable")


@frozen
class Collection:
    """Printers that belong together."""

    name: str
    printers: tuple[Printer, ...]

    def __attrs_post_init__(self) -> None:
        """Raise `UsageError` for a field of another type."""
        require_right_fields(self, fields)


@methods_name_wrong_arguments
@frozen
class Printers:
    """The printers that are used: the first that matches and is not disabled."""

    collections: tuple[Collection, ...] = ()
    disabled: frozenset[tuple[str, str]] = frozenset()
    """Names of collections, and of their printers or `WHOLE`."""

    def __attrs_post_init__(self) -> None:
        """Raise `UsageError` for a field of another type."""
        require_right_fields(self, fields)

    def is_enabled(self, collection: str, name: str) -> bool:
        """Return whether a printer is used."""
        return not {(collection, WHOLE), (collection, name)} & self.disabled

    @property
    def enabled_count(self) -> int:
        """How many printers are used."""
        return sum(
            self.is_enabled(collection.name, printer.name)
            for collection in self.collections
            for printer in collection.printers
        )

    def of(self, struct_type: Struct) -> Printer | None:
        """Return the printer of a class; None if its members are shown."""
        if struct_type.name is None or not self.collections:
            return None
        name = template_name(full_name(struct_type))
        return self._of_name(name) or (self._of_name("string") if _is_string(struct_type) else None)

    def _of_name(self, name: str) -> Printer | None:
        for collection in self.collections:
            for printer in collection.printers:
                if not name.startswith(_beginning(printer.pattern)):
                    continue  # most patterns need not be compiled
                if self.is_enabled(collection.name, printer.name) and _is_of(printer, name):
                    return printer
        return None

    def with_printers(self, *printers: Printer, collection: str = "user") -> Printers:
        """Return the same printers with more, which come before all others.

        `UsageError` for a pattern that is not a regular expression.
        """
        for printer in printers:
            try:
                _is_of(printer, "")
            except UsageError as error:
                raise UsageError(f"the pattern of printer {printer.name}: {error}") from None
        names = {printer.name for printer in printers}
        by_name = {group.name: group.printers for group in self.collections}
        remaining = tuple(
            printer for printer in by_name.get(collection, ()) if printer.name not in names
        )
        collections = tuple(
            candidate for candidate in self.collections if candidate.name != collection
        )
        own = Collection(collection, (*printers, *remaining))
        return evolve(self, collections=(own, *collections))


def _is_string(struct_type: Struct) -> bool:
    """Return whether a structure is a string type of Go with a name of its own."""
    if "." not in (struct_type.name or ""):
        return False
    members = struct_type.members
    if len(members) != 2 or members[0].name != "str":
        return False
    from dwarfgpu.dwarf.types.go_kinds import STRING, go_kind  # few classes

    return go_kind(struct_type) == STRING


def _is_of(printer: Printer, name: str) -> bool:
    """Return whether a class of a name is a printer's; `UsageError` for a pattern that is none."""
    from dwarfgpu.base.regexp import regexp  # not every answer has a class

    return regexp(printer.pattern).fullmatch(name)


@lru_cache(maxsize=256)
def _beginning(pattern: str) -> str:
    """Return a text with which all that a pattern matches begins."""
    if _may_be_choice(pattern):
        return ""
    end = 0
    while end < len(pattern) and (pattern[end].isalnum() or pattern[end] in "_:"):
        end += 1
    may_be_absent = pattern[end : end + 1] in ("?", "*", "{")
    return pattern[: max(end - may_be_absent, 0)]


def _may_be_choice(pattern: str) -> bool:
    """Return whether a `|` may be outside of all groups."""
    if "|" not in pattern:
        return False
    without_sets = _SET.sub("", pattern)
    if "\\" in pattern or "[" in without_sets:
        return True  # a parenthesis may be a character
    before = ""
    for text in without_sets.split("|")[:-1]:
        before += text
        if before.count("(") <= before.count(")"):
            return True
    return False
