"""`info registers` and its like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.errors import UsageError
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import Candidate, command
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.frame.register_values import (
    NOT_SAVED,
    RegisterValue,
    groups_of,
    listed_register,
    named_registers,
    read_register,
    registers,
)
from dwarfgpu.session.session import Session

_NO_REGISTERS: Final = "The program has no registers now."


def _completed(shell: Shell, word: str) -> Iterator[Candidate]:
    yield from completion.registers(shell, word)
    for group in groups_of(shell.session.architecture):
        yield Candidate(group, "a group of registers")


@command("info registers", topic="stack", aliases=("r",), complete=_completed)
def info_registers(shell: Shell, argument: str) -> Iterator[Part]:
    """Show registers of the wave.

    Usage: info registers [REGISTER | GROUP]...

    Shows the name, the value in hexadecimal and, except for vectors, the value by its type. GROUP
    is one of all, general, scalar, vector, system, trap; on CPUs one of general, float, system,
    vector, all, save, restore, on x86 also mmx, sse. Abbreviations are allowed. Without an
    argument, shows every register with known contents.
    """
    session = shell.session
    if session.has_ended:
        raise UsageError(_NO_REGISTERS)
    if _is_without_registers(session):
        raise UsageError(_NO_REGISTERS)
    is_nowhere = session.pc is None and not session.architecture.is_simt
    for word in argument.split():
        values = named_registers(session, word)
        if is_nowhere and values and not any(value.is_known for value in values):
            raise UsageError(_NO_REGISTERS)
        yield from (_register(shell, value) for value in values)
    if argument:
        return
    all_values = [listed_register(session, register) for register in registers(session)]
    if not any(value.is_known for value in all_values):
        is_simt = session.architecture.is_simt
        raise UsageError("No register of the wave is known." if is_simt else _NO_REGISTERS)
    yield from (_register(shell, value) for value in all_values if value.is_known or value.is_lost)
    if session.level:
        unread = [value for value in all_values if not value.is_known and value.bits.reasons]
        if unread and not unread[0].is_lost:
            more = f" and {len(unread) - 1} others" if len(unread) > 1 else ""
            shell.console.note(f"{unread[0].name}{more} are unknown: {unread[0].bits.reasons[0]}")


def _is_without_registers(session: Session) -> bool:
    """Return whether there is only a program of a CPU, and no register was set."""
    if session.pc is not None or session.architecture.is_simt:
        return False
    return not any(read_register(session, register).is_known for register in registers(session))


def _register(shell: Shell, value: RegisterValue) -> Output:
    return Output(value.line(shell.settings.format_options()), value.record, "register-values")


@command("info float", topic="stack")
def info_float(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the floating point unit, or floating-point registers.

    Usage: info float
    """
    session = shell.session
    architecture = session.architecture
    if architecture.register_named("ftag") is None:
        if architecture.register_groups is not None:
            yield from info_registers.run(shell, "float")
            return
        yield Output("No floating-point info available for this processor.", {"x87": None})
        return
    if _is_without_registers(session):
        raise UsageError(_NO_REGISTERS)

    def number(name: str) -> int | None:
        [value] = named_registers(session, name)
        return value.bits.value if value.bits.is_complete else None

    from dwarfgpu.service.frame import x87  # few sessions ask for it

    [status] = named_registers(session, "fstat")
    shown = x87.lines(number, NOT_SAVED) if status.is_lost else x87.lines(number)
    yield Output("\n".join(shown), {"x87": x87.record(number)})


@command("info vector", topic="stack")
def info_vector(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the vector registers.

    Usage: info vector
    """
    yield from info_registers.run(shell, "vector")


@command("info all-registers", topic="stack", complete=_completed)
def info_all_registers(shell: Shell, argument: str) -> Iterator[Part]:
    """Show all registers of the wave.

    Usage: info all-registers [REGISTER | GROUP]...

    Shows the same as "info registers", and also registers with unknown contents.
    """
    yield from info_registers.run(shell, argument or "all")
