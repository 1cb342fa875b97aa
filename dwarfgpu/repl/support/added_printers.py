"""Printers that Python code of a debug session adds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.repl.settings import Settings
from dwarfgpu.view.printers.printed_object import Object, UnexpectedLayout
from dwarfgpu.view.printers.printer import Child, Printed, Printer, Show

_OWN: Final = (DwarfGpuError, UnexpectedLayout)


def add_printer(settings: Settings, name: str, pattern: str, show: Show) -> None:
    """Use a printer before all others; one of that name is replaced.

    `UsageError` for a pattern that is not a regular expression. Errors of the function are shown in
    place of the value.
    """

    def guarded(value: Object) -> Printed:
        try:
            printed = show(value)
        except _OWN:
            raise
        except Exception as error:  # noqa: BLE001 (the user's code may raise anything)
            raise _failed(name, error) from None
        if not isinstance(printed, Printed):
            raise UsageError(f"printer {name} does not return a Printed")
        children = printed.children
        return printed if children is None else evolve(printed, children=_printers(name, printed))

    added = Printer(name, pattern, guarded)
    settings.printers = settings.printers.with_printers(added)


def _printers(name: str, printed: Printed) -> Iterator[Child]:
    """Yield the children; an error of the user's code becomes one of dwarfgpu."""
    try:
        for child in printed.children or ():
            if not _is_child(child):
                raise TypeError("a child is a name and an Object or a text")
            yield child
    except _OWN:
        raise
    except Exception as error:  # noqa: BLE001 (the user's code may raise anything)
        raise _failed(name, error) from None


def _is_child(child: object) -> bool:
    return (
        isinstance(child, tuple)
        and len(child) == 2
        and isinstance(child[0], str)
        and isinstance(child[1], str | Object)
    )


def _failed(name: str, error: Exception) -> UsageError:
    return UsageError(f"printer {name}: {type(error).__name__}: {error}")
