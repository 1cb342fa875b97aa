"""`info pretty-printer` and its like: the printers of a debug session, with GDB's wording."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.base.regexp import Regexp, regexp
from dwarfgpu.errors import UsageError, counted
from dwarfgpu.repl.command import Candidate, command
from dwarfgpu.repl.output import Output, Part, heading
from dwarfgpu.repl.shell import Shell
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.printers.printer import WHOLE, Collection, Printer, Printers

_OBJECT: Final = "global"
"""Where all printers are: none belongs to a file."""


@frozen
class _Chosen:
    """Regular expressions for objects, collections and their printers."""

    object: Regexp
    name: Regexp
    inner: Regexp | None
    """None for whole collections."""

    def collections(self, printers: Printers) -> list[Collection]:
        """Return the matching ones, by name."""
        if not self.object.match(_OBJECT):
            return []
        collections = (
            collection for collection in printers.collections if self.name.match(collection.name)
        )
        return sorted(collections, key=lambda collection: collection.name)

    def printers(self, collection: Collection) -> list[Printer]:
        collections = (
            printer
            for printer in collection.printers
            if self.inner is None or self.inner.match(printer.name)
        )
        return sorted(collections, key=lambda collection: collection.name)


def _chosen(argument: str) -> _Chosen:
    words = argument.split()
    name, semicolon, inner = (words[1] if len(words) > 1 else "").partition(";")
    return _Chosen(
        _compiled(words[0] if words else "", "object"),
        _compiled(name, "name"),
        _compiled(inner, "subname") if semicolon else None,
    )


def _compiled(text: str, kind: str) -> Regexp:
    try:
        return regexp(text)
    except UsageError as error:
        raise UsageError(f"invalid {kind} regexp: {text}: {error}") from None


def _names(shell: Shell, word: str) -> Iterator[Candidate]:
    yield Candidate(_OBJECT, "all printers")
    for collection in shell.settings.printers.collections:
        yield Candidate(collection.name)
        yield from (
            Candidate(f"{collection.name};{printer.name}") for printer in collection.printers
        )


@command("info pretty-printer", topic="data", complete=_names)
def info_pretty_printer(shell: Shell, argument: str) -> Iterator[Part]:
    """List the pretty-printers.

    Usage: info pretty-printer [OBJECT-REGEXP [NAME-REGEXP]]

    Pretty-printers format values of classes whose members are not informative, such as std::vector.
    OBJECT-REGEXP matches "global", to which all printers belong. NAME-REGEXP matches the name of a
    collection; write COLLECTION;PRINTER for one printer in it. "print/r" shows the members.
    """
    chosen, printers = _chosen(argument), shell.settings.printers
    collections = chosen.collections(printers)
    if collections:
        yield heading(f"{_OBJECT} pretty-printers:")
    for collection in collections:
        inside = chosen.printers(collection)
        if chosen.inner is not None and not inside:
            continue
        yield heading(f"  {collection.name}{_mark(printers, collection.name, WHOLE)}")
        for printer in inside:
            data: JsonObject = {
                "object": _OBJECT,
                "collection": collection.name,
                "name": printer.name,
                "enabled": printers.is_enabled(collection.name, printer.name),
            }
            mark = _mark(printers, collection.name, printer.name)
            yield Output(f"    {printer.name}{mark}", data, "pretty-printers")


def _mark(printers: Printers, collection: str, name: str) -> str:
    return " [disabled]" if (collection, name) in printers.disabled else ""


@command("enable pretty-printer", topic="data", complete=_names, repeats=False)
def enable_pretty_printer(shell: Shell, argument: str) -> Iterator[Part]:
    """Enable pretty-printers.

    Usage: enable pretty-printer [OBJECT-REGEXP [NAME-REGEXP]]

    The arguments are those of "info pretty-printer".
    """
    yield from _switched(shell, argument, is_on=True)


@command("disable pretty-printer", topic="data", complete=_names, repeats=False)
def disable_pretty_printer(shell: Shell, argument: str) -> Iterator[Part]:
    """Disable pretty-printers, to show the members of classes.

    Usage: disable pretty-printer [OBJECT-REGEXP [NAME-REGEXP]]

    The arguments are those of "info pretty-printer". "print/r" does the same for one value.
    """
    yield from _switched(shell, argument, is_on=False)


def _switched(shell: Shell, argument: str, *, is_on: bool) -> Iterator[Part]:
    chosen, before = _chosen(argument), shell.settings.printers
    keys = {
        (collection.name, name)
        for collection in chosen.collections(before)
        for name in (
            [WHOLE] if chosen.inner is None else [p.name for p in chosen.printers(collection)]
        )
    }
    disabled = before.disabled - keys if is_on else before.disabled | keys
    after = evolve(before, disabled=frozenset(disabled))
    shell.settings.printers = after
    changed = abs(after.enabled_count - before.enabled_count)
    count, every = (
        after.enabled_count,
        sum(len(collection.printers) for collection in after.collections),
    )
    data: JsonObject = {"changed": changed, "enabled": count, "printers": every}
    yield Output(f"{counted(changed, 'printer')} {'enabled' if is_on else 'disabled'}", data)
    yield heading(f"{count} of {every} printers enabled")
