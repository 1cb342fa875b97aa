"""Run inside GDB: helpers of the scripts that the tests source. No test by itself."""

from __future__ import annotations

import json

import gdb

from dwarfgpu.expr.context import LocList
from dwarfgpu.expr.decode import decode
from dwarfgpu.expr.evaluate import register_of
from dwarfgpu.expr.location_list_entry import matching_entries
from dwarfgpu.gdb import Debugger


def said(command: str) -> str:
    """What GDB prints for a command; its error message where it fails."""
    try:
        return gdb.execute(command, to_string=True).rstrip("\n")
    except gdb.error as error:
        return f"error: {error}"


def contents(text: str) -> str:
    """What stands after `$1 =` or `name =`; an error is left as it is."""
    return text if text.startswith("error: ") else text.partition(" = ")[2]


def names(frame: gdb.Frame) -> list[str]:
    """Arguments and variables of a frame's function, and the variables of its file."""
    result: dict[str, None] = {}
    block = frame.block()
    while block is not None and not block.is_global:
        result |= {item.name: None for item in block if item.is_variable or item.is_argument}
        block = block.superblock
    return list(result)


def in_lost_register(name: str) -> bool:
    """Whether a variable of an outer frame is said to be in a register of which no call frame
    information tells, and which the ABI lets callees change: for GDB it has its newest value."""
    session = Debugger().session()
    attribute = session.variable(name).location
    assert isinstance(attribute, LocList) and session.level
    entries = matching_entries(attribute.entries, session.pc)
    unit = session.variable(name).unit
    numbers = {
        register_of(instruction)
        for entry in entries
        for instruction in decode(entry.expression, unit.dialect, unit.format).instructions
    } - {None}
    kept = session.architecture.preserved
    assert kept is not None
    return bool(numbers) and not numbers & kept


class Comparison:
    """GDB's values and ours, at one stop after the other."""

    def __init__(self, source: str) -> None:
        self.source = source
        """The end of the path of the source: other files' frames are left out."""
        self.globals: list[str] = []
        """Variables that every frame sees, to be compared too."""
        self.compared = 0
        self.optimized_out = 0
        self.outer = 0
        self.lost = 0
        """Values that GDB takes from registers that callees need not preserve."""
        self.differences: list[list[object]] = []
        self.calls = 0
        """Of functions of the program, before and after each; GDB makes them in silence."""
        gdb.events.inferior_call.connect(self._called)

    def _called(self, _: object) -> None:
        self.calls += 1

    def stop(self) -> None:
        """Compare every variable of every frame."""
        selected = frame = gdb.selected_frame()
        while frame is not None:
            symtab = frame.find_sal().symtab
            if symtab is not None and symtab.filename.endswith(self.source):
                frame.select()
                self._frame(frame)
            frame = frame.older()
        selected.select()

    def _frame(self, frame: gdb.Frame) -> None:
        for name in [*names(frame), *self.globals]:
            theirs = contents(said(f"print {name}"))
            ours = contents(said(f"dwarfgpu print {name}").split("\nnote:")[0])
            self.compared += 1
            self.optimized_out += theirs == "<optimized out>"
            self.outer += frame.level() > 0
            if ours == "<optimized out>" != theirs and in_lost_register(name):
                self.lost += 1
            elif theirs != ours:
                self.differences.append([frame.level(), frame.name(), name, theirs, ours])

    def walk(self, stops: int) -> None:
        """Compare, and go on by a line or by an instruction, while the program runs."""
        for number in range(stops):
            if not gdb.selected_inferior().pid:
                break
            self.stop()
            said("step" if number % 3 else "stepi")

    def report(self) -> None:
        print("@@" + json.dumps(vars(self)))
