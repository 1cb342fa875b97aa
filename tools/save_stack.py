"""Save the frames that GDB sees, as JSON: what ours are compared with where there is no GDB.

    gdb -q -nx -batch -ex 'source dwarfgpu/gdb/source.py' -ex 'source tools/save_stack.py' \\
        -ex 'break leaf' -ex run -ex 'save-stack leaf.gdb.json' PROGRAM [CORE]
"""

from __future__ import annotations

import json
from pathlib import Path

import gdb

from dwarfgpu.arch.model import Architecture
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.gdb.machine.gdb_target import architecture_named, frame_cfa, frame_register

KINDS = {gdb.TAILCALL_FRAME: "tail call", gdb.INLINE_FRAME: "inlined", gdb.SIGTRAMP_FRAME: "signal"}


def kept_registers(frame: gdb.Frame, architecture: Architecture) -> dict[str, str | None]:
    """Those that a call preserves; None for what GDB says is lost."""
    kept = {architecture.program_counter, architecture.stack_pointer, 30}
    kept |= architecture.preserved or set()
    result: dict[str, str | None] = {}
    for number in sorted(finding for finding in kept if finding is not None):
        register = architecture.registers[number]
        try:
            data = frame_register(frame, register)
        except DwarfGpuError:
            continue
        contents = None if data is None else int.from_bytes(data, register.type.endian)
        result[register.name] = None if contents is None else hex(contents)
    return result


class SaveStack(gdb.Command):  # type: ignore[misc]  # gdb has no types
    """Save the frames of the stopped program for dwarfgpu's tests.

    Usage: save-stack FILE"""

    def __init__(self) -> None:
        super().__init__("save-stack", gdb.COMMAND_DATA)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """GDB calls this."""
        gdb.execute("set backtrace past-main on")
        frames: list[dict[str, object]] = []
        frame = gdb.newest_frame()
        architecture = architecture_named(frame.architecture().name())
        while frame is not None:
            caller = frame.older()
            frames.append(
                {
                    "name": frame.name(),
                    "kind": KINDS.get(frame.type(), "normal"),
                    "pc": hex(frame.pc()),
                    "line": frame.find_sal().line,
                    "cfa": None if caller is None else hex(frame_cfa(frame)),
                    "registers": kept_registers(frame, architecture),
                }
            )
            frame = caller
        lines = ",\n".join(json.dumps(frame) for frame in frames)
        Path(argument).write_text(f'{{"frames": [\n{lines}\n]}}\n')


SaveStack()
