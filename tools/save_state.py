"""Save what GDB has stopped as a state file: registers, stack, writable memory of the program.

    gdb -q -nx -batch -ex 'source dwarfgpu/gdb_source.py' -ex 'source tools/save_state.py' \\
        -ex 'break leaf' -ex run -ex 'save-state leaf.json' PROGRAM [CORE]
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import gdb

from dwarfgpu.arch.model import RegisterInfo
from dwarfgpu.backends.ingdb import architecture_named, frame_register, load_address
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.elf import PF_W, PT_LOAD, open_object

STACK_BYTES = 4096
MOST_STACK_BYTES = 1 << 20
RED_ZONE_BYTES = 128
FIRST_FRAME_BYTES = 256


def stack_bytes(frame: gdb.Frame) -> int:
    """As far as the frames reach that GDB finds."""
    oldest = frame
    while oldest.older() is not None:
        oldest = oldest.older()
    known = int(oldest.read_register("sp")) - int(frame.read_register("sp"))
    return min(max(STACK_BYTES, known + RED_ZONE_BYTES + FIRST_FRAME_BYTES), MOST_STACK_BYTES)


def registers(frame: gdb.Frame, known: list[RegisterInfo]) -> dict[str, object]:
    """Every register that GDB can read."""
    found: dict[str, object] = {}
    for each in known:
        try:
            data = frame_register(frame, each)
        except DwarfGpuError:
            continue
        if data is None:
            continue
        if each.size_bits > 64:
            found[each.name] = {"bytes": data.hex()}
        else:
            found[each.name] = hex(int.from_bytes(data, each.type.endian))
    return found


class SaveState(gdb.Command):  # type: ignore[misc]  # gdb has no types
    """Save the stopped program as a state file for dwarfgpu.

    Usage: save-state FILE [STACK-BYTES [ADDRESS SIZE]...]

    Of the memory, besides the stack and the program's own, what addresses and sizes tell."""

    def __init__(self) -> None:
        super().__init__("save-state", gdb.COMMAND_DATA)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """GDB calls this."""
        name, *size = gdb.string_to_argv(argument)
        path = Path(name)
        frame = gdb.newest_frame()
        architecture = architecture_named(frame.architecture().name())
        program = gdb.current_progspace().filename
        file = open_object(program)
        with gdb.with_parameter("language", "c"):
            entry = int(gdb.parse_and_eval("(unsigned long)&main"))
        bias = load_address(file, entry)
        stack = int(frame.read_register("sp")) - RED_ZONE_BYTES
        memory = [self._range(stack, int(size[0]) if size else stack_bytes(frame))]
        for segment in file.segments:
            if segment.type == PT_LOAD and segment.flags & PF_W:
                memory.append(self._range(segment.address + bias, segment.memory_bytes))
        for start, count in zip(size[1::2], size[2::2], strict=True):
            memory.append(self._range(int(start, 0), int(count, 0)))
        known = [*architecture.registers.values(), *architecture.other_registers]
        document = {
            "schema": "dwarfgpu-state-1",
            "architecture": architecture.name,
            "code_objects": [
                {"path": os.path.relpath(program, path.parent), "load_address": hex(bias)}
            ],
            "memory": [each for each in memory if each is not None],
            "waves": [{"registers": registers(frame, known)}],
        }
        path.write_text(json.dumps(document, indent=1) + "\n")

    def _range(self, address: int, size_bytes: int) -> dict[str, str] | None:
        """As much from there on as can be read."""
        inferior = gdb.selected_inferior()
        while size_bytes:
            try:
                data = bytes(inferior.read_memory(address, size_bytes))
                return {"address": hex(address), "bytes": data.hex()}
            except gdb.MemoryError:
                size_bytes //= 2
        return None


SaveState()
