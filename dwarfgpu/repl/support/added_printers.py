"""Printers that Python code of a debug session adds.

Law: whatever their code does, a value is shown or an error in its place, and the session goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Final, TypeVar, cast

from dwarfgpu.base.argument_types import names_wrong_arguments
from dwarfgpu.base.arguments import WrongType, WrongValue, require
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import DwarfGpuError, shortened
from dwarfgpu.repl.settings import Settings
from dwarfgpu.view.printers.printed_object import Object, UnexpectedLayout
from dwarfgpu.view.printers.printer import (
    Child,
    Printed,
    Printer,
    PrinterFailed,
    Show,
    children_of,
    summary_parts,
)

_T = TypeVar("_T")
_OWN: Final = (DwarfGpuError, UnexpectedLayout)


@names_wrong_arguments
def add_printer(settings: Settings, name: str, pattern: str, show: Show) -> None:
    """Use a printer before all others; one of that name is replaced.

    `UsageError` for a pattern that is not a regular expression. Errors of the function are shown in
    place of the value.
    """
    name, pattern = _plain(name), _plain(pattern)
    guard = _Guard(name)

    def guarded(value: Object) -> Printed:
        try:
            return _received(guard, show(value))
        except BaseException as error:  # noqa: BLE001 (the user's code may raise anything)
            raise guard.judged(error) from None

    added = Printer(name, pattern, guarded)
    settings.printers = settings.printers.with_printers(added)


class _Guard:
    """Makes errors of a printer's code, and of showing what it gives, ones of dwarfgpu."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: object, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and not isinstance(error, GeneratorExit):  # of one that is closed
            judged = self.judged(error)
            if judged is not error:
                raise judged from None

    def judged(self, error: BaseException) -> BaseException:
        """Return the error to raise: Ctrl-C and what is unreadable stay as they are."""
        if isinstance(error, WrongType | WrongValue):
            return PrinterFailed(f"printer {self._name}: {error.message}")
        if isinstance(error, (*_OWN, KeyboardInterrupt)):
            return error
        try:
            message = shortened(str(error))
        except Exception:  # noqa: BLE001 (the error is one of the user's code, too)
            message = "its message cannot be formatted"
        return PrinterFailed(f"printer {self._name}: {type(error).__name__}: {message}")


def _received(guard: _Guard, printed: Printed) -> Printed:
    """Return what a printer gives, with texts of Python's own type, whose methods raise nothing."""
    require("its result", printed, Printed)
    children, formatted = printed.children, printed.formatted
    return evolve(
        printed,
        summary=tuple(map(_plain, summary_parts(printed))),
        children=None if children is None else _children(guard, printed),
        form=_plain(printed.form),
        lead=_plain(printed.lead),
        formatted=None if formatted is None else _received(guard, formatted),
        guard=guard,
    )


def _children(guard: _Guard, printed: Printed) -> Iterator[Child]:
    """Yield the children; an error of the user's code becomes one of dwarfgpu."""
    children = children_of(printed)
    while True:
        try:
            child = next(children, None)
        except BaseException as error:  # noqa: BLE001 (the user's code may raise anything)
            raise guard.judged(error) from None
        if child is None:
            return
        name, value = child
        yield _plain(name), _plain(value)


def _plain(part: _T) -> _T:
    """Return a text as one of Python's own type; anything else as it is."""
    return cast(_T, str.__str__(part)) if isinstance(part, str) else part
