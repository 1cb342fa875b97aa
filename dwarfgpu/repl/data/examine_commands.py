"""`x`: memory by address, with GDB's wording."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dwarfgpu.arch.model import AddressSpace
from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.dwarf.types.types import Type
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language import TypedValue, addresses
from dwarfgpu.language.address_symbols import symbolizer
from dwarfgpu.language.evaluator import VOID
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.machine.examine_format import (
    Format,
    Unit,
    Units,
    format_and_rest,
    require_few_characters,
)
from dwarfgpu.service.value.value_history import options_of
from dwarfgpu.view.format_options import FormatOptions
from dwarfgpu.view.json_object import JsonObject

if TYPE_CHECKING:
    from dwarfgpu.service.code.disassembly import CodeLine


@command("x", topic="data", complete=completion.VALUES)
def x(shell: Shell, argument: str) -> Iterator[Part]:
    """Examine memory.

    Usage: x[/FMT] [EXPRESSION]

    The value of EXPRESSION is the address: x/4xw $sp, x/s name, x/2dw private_lane#0x10. For an
    array or a function, it is the address of the object. Without EXPRESSION, continues after the
    last "x", or after the object that "print" or "output" has shown since. FMT is a count, a format
    letter and a size letter; an omitted letter is the one used last. Letters are x (hex), d
    (decimal), u (unsigned decimal), o (octal), t (binary), f (float), a (address), c (char), s
    (string), i (instruction) and z (hex); sizes b (1 byte), h (2), w (4) and g (8). A negative
    count shows memory before the address. Afterwards $_ is the address of the last unit, and $__
    its contents.
    """
    before = shell.examined
    if argument.startswith("/"):
        address_bits = shell.session.architecture.address_space(0).address_bits
        format_, text = format_and_rest(argument[1:], before.format, address_bits)
    else:
        count = max(before.format.count, 1) if not argument else 1
        format_, text = evolve(before.format, count=count), argument
    # As in GDB, the count is kept even where the expression fails.
    before = evolve(before, format=evolve(before.format, count=format_.count))
    shell.examined = before
    objects = ObjectAccess(shell.session)
    if text:
        space, address = address_of(shell, objects, text)
        address &= (1 << space.address_bits) - 1  # as GDB shows it
    elif before.space is None or before.address is None:
        raise UsageError("Argument required (starting display address).")
    else:
        space, address = before.space, before.address
    if (format_.letter, format_.size) == ("s", "g"):
        shell.console.warn("Unable to display strings with size 'g', using 'b' instead.")
        format_ = evolve(format_, size="b")
    # As in GDB, a format that failed does not become the default.
    shell.examined = evolve(before, space=space, address=address)
    yield from memory_lines(shell, objects, format_)
    if format_.letter == "s":  # as in GDB, the size of characters is not kept
        format_ = evolve(format_, size="b")
    shell.examined = evolve(shell.examined, format=format_, last_letter=format_.letter)
    shell.history.again = "x"


def address_of(shell: Shell, objects: ObjectAccess, text: str) -> tuple[AddressSpace, int]:
    """Return the address that an expression of the prompt denotes; `UsageError` if it denotes
    none."""
    session = objects.session
    return addresses.address_of(session, options_of(session, shell.values), objects, text)


def memory_lines(shell: Shell, objects: ObjectAccess, format_: Format) -> Iterator[Part]:
    """Yield lines of memory after that of the last `x`; unreadable memory ends them, after the
    readable part of its line."""
    space, address = shell.examined.space, shell.examined.address
    assert space is not None and address is not None
    if format_.letter == "i":
        yield from _instructions(shell, space, address, format_.count)
        return
    options = _options_of_frame(shell)
    units = Units(objects, space, format_, symbolizer(shell.session, options), options)
    count = abs(format_.count)
    start = address = units.before(address, count) if format_.count < 0 else address
    characters = 0
    while count:
        row = Row(units, address, None if space.number else units.symbolize(address))
        try:
            for unit in units.line(address, count):
                row.units.append(unit)
                _keep(shell, units, unit, address)
                address = unit.next_address
                count -= 1
        except DwarfGpuError:
            shell.examined = evolve(shell.examined, address=units.after(address))
            yield Output(row.line + "\t", row.record(start), "memory", ends_line=False)
            raise
        if format_.letter == "s":
            characters += len(row.units[0].data) // format_.unit_bytes
            require_few_characters(characters)
        yield Output(row.line, row.record(start), "memory")
    if format_.count < 0:
        back = 1 if format_.letter == "s" else 0
        after = start - back * format_.unit_bytes
        shell.examined = evolve(shell.examined, address=max(after, 0))


def _options_of_frame(shell: Shell) -> FormatOptions:
    """Return the options of the settings for the language of the frame in focus."""
    options = shell.settings.format_options()
    try:
        unit = shell.session.unit
        return options if unit is None else options.of_source(unit.is_cplusplus, unit.style)
    except DwarfGpuError:
        return options


def _instructions(shell: Shell, space: AddressSpace, address: int, count: int) -> Iterator[Part]:
    """Print instructions: afterwards `$_` is the last of them, and another `x` continues after it,
    or before the first."""
    from dwarfgpu.repl.data.examined_instructions import examined_instructions

    if space.number:
        raise UsageError(f"{space}#{address:#x} is not an address of code")
    unit = Format("x", "b", 1).type(shell.session.architecture.endian)
    first: CodeLine | None = None
    last: CodeLine | None = None
    for output, line in examined_instructions(shell, address, count):
        if line is None and count > 0:  # as in GDB, `x` passes over what cannot be read
            unread = address if last is None else last.address + len(last.data)
            shell.examined = evolve(shell.examined, address=unread + 1)
        yield output
        if line is not None:
            first, last = first or line, line
    if first is not None and last is not None:
        examined_code(shell, last.address, unit)
        shell.values.named["__"] = VOID  # as in GDB: code is no value
        goes_on = last.address + len(last.data) if count > 0 else first.address
        shell.examined = evolve(shell.examined, address=goes_on)


@frozen(eq=False)
class Row:
    """Units of memory in one line."""

    memory: Units
    address: int
    symbol: str | None
    units: list[Unit] = field(factory=list)

    @property
    def line(self) -> str:
        where = self._text(self.address) + (f" <{self.symbol}>" if self.symbol else "")
        return "\t".join([f"{where}:", *(unit.text for unit in self.units)])

    def record(self, start: int) -> JsonObject:
        """Return the row with the keys of GDB's machine interface; `offset` is from `start`."""
        contents = b"".join(unit.data for unit in self.units)
        return {
            "begin": self._text(self.address),
            "offset": f"{self.address - start:#x}",
            "end": self._text(self.units[-1].next_address if self.units else self.address),
            "symbol": self.symbol,
            "contents": contents.hex(),
            "data": [unit.text for unit in self.units],
        }

    def _text(self, address: int) -> str:
        return self.memory.objects.address_text(self.memory.space, address)


def _keep(shell: Shell, units: Units, unit: Unit, address: int) -> None:
    """Set `$_`, `$__`, and where to continue."""
    shell.examined = evolve(shell.examined, address=unit.next_address)
    kind = units.type
    pointer = units.objects.pointer(kind, units.space, address)
    contents = VOID if unit.bits is None else TypedValue(kind, bits=unit.bits)
    shell.values.examined(pointer, contents)


def go_on_after(shell: Shell, value: TypedValue) -> None:
    """Let `x` continue behind an object in memory that `print` has shown; as in GDB, only after
    another `x`, or a command that says where code is."""
    if shell.examined.space is None:
        return
    from dwarfgpu.service.value.address_after import address_after  # many never use `x`

    following = address_after(value)
    if following is not None:
        space, address = following
        shell.examined = evolve(shell.examined, space=space, address=address)


def examined_code(shell: Shell, address: int, type_: Type | None = None) -> None:
    """Let `x` continue with the code of `info line`, and set `$_` to its address."""
    objects = ObjectAccess(shell.session)
    space = objects.architecture.address_space(0)
    shell.examined = evolve(shell.examined, space=space, address=address)
    pointer = objects.pointer(type_, space, address)
    shell.values.named["_"] = evolve(pointer, convenience="_")
