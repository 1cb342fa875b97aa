"""A stand-in of ROCgdb, for a state file: `python rocgdb.py STATE COMMAND...`. No test by itself.

It has what its manual says of waves, lanes and address spaces, and of GDB's Python what dwarfgpu
uses: waves are threads, `lane N` selects a lane, `$_lane` and `$_lane_count` tell it, and addresses
are `private_lane#0x10`. That the real one does the same is not tested: there is no hardware here.
"""

from __future__ import annotations

import json
import os
import re
import runpy
import shlex
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar
from urllib.parse import quote

from dwarfgpu.arch.model import RegisterInfo
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.model.storage import Memory
from dwarfgpu.objfile.elf import open_object

SHF_ALLOC = 2
LOADED = 0x123450000
"""Where a code object is in otherwise unknown memory."""
PLACE = r"\((?P<space>\w+)#(?P<address>0x[0-9a-f]+)\)"
ARRAY = re.compile(r"\*\(unsigned char \(\*\)\[(?P<count>\d+)\]\) " + PLACE)
SET_BYTE = re.compile(
    r"with language c -- set var \*\(unsigned char \*\) " + PLACE + r" = (?P<byte>0x[0-9a-f]+)"
)
SET_REGISTER = re.compile(
    r"with language c -- set var \$(?P<name>\w+)(?:\[(?P<index>\d+)\])? = (?P<number>0x[0-9a-f]+)"
)
gdb: Any = ModuleType("gdb")
"""What dwarfgpu imports."""


class Error(RuntimeError):
    """gdb.error."""


class Type:
    """A type of a register, or of bytes."""

    def __init__(self, code: str, sizeof: int, element: Type | None = None) -> None:
        self.code, self.sizeof, self._element = code, sizeof, element

    def strip_typedefs(self) -> Type:
        return self

    def target(self) -> Type:
        assert self._element is not None
        return self._element

    def range(self) -> tuple[int, int]:
        return 0, self.sizeof // self.target().sizeof - 1


class Value:
    """Bytes with a type."""

    is_optimized_out = False

    def __init__(self, kind: Type, data: bytes) -> None:
        self.type, self._data = kind, data

    def __getitem__(self, index: int) -> Value:
        kind = self.type.target()
        return Value(kind, self._data[index * kind.sizeof : (index + 1) * kind.sizeof])

    def __int__(self) -> int:
        return int.from_bytes(self._data, "little")

    def format_string(self, format: str = "", raw: bool = False) -> str:
        assert format == "x" and raw
        return hex(int(self))


class Machine:
    """A wave of a state, a lane of it, and where GDB is."""

    def __init__(self, path: Path) -> None:
        self.state = load_state(path)
        self.arch, self.target = self.state.architecture, self.state.target
        self.waves = {wave.wave + 2: wave for wave in self.state.waves}
        """By thread: the first is of the host."""
        self.thread = min(self.waves)
        self.lanes = dict.fromkeys(self.waves, 0)
        self.log: list[str] = []
        """The commands that were executed."""
        self.uri = os.environ.get("STAND_IN_URI", "sized")
        """How code objects are called: whole files, parts of files, or parts of memory."""

    @property
    def wave(self) -> int:
        return int(self.waves[self.thread].wave)

    def architecture(self) -> Any:
        known = [*self.arch.registers.values(), *self.arch.other_registers]
        return SimpleNamespace(name=lambda: f"amdgcn:{self.arch.name}", registers=lambda: known)

    def memory(self, space: str) -> Memory:
        result = self.arch.address_space_named(space)
        if result is None:
            raise Error(f"Address space {space} not recognised by the architecture")
        lane = self.lanes[self.thread] if result.scope == "lane" else None
        return Memory(result, self.wave, lane)

    def read(self, space: str, address: int, size_bytes: int) -> bytes:
        for code_object in self.state.code_objects:
            data = code_object.path.read_bytes()
            if self.uri == "memory" and space == "global" and 0 <= address - LOADED < len(data):
                return data[address - LOADED :][:size_bytes]
        try:
            return self.target.read_memory(self.memory(space), address, size_bytes)
        except DwarfGpuError:
            raise gdb.MemoryError(f"Cannot access memory at address {space}#{address:#x}") from None

    def evaluate(self, text: str) -> Value:
        match = ARRAY.fullmatch(text)
        if match is None:
            raise Error(f"the stand-in cannot evaluate {text}")
        count = int(match["count"])
        data = self.read(match["space"], int(match["address"], 16), count)
        return Value(Type("array", count, Type("int", 1)), data)

    def execute(self, text: str, from_tty: bool = False, to_string: bool = False) -> str:
        if text.startswith("set may-call-functions "):
            SETTINGS["may-call-functions"] = text.endswith(" on")
            return ""
        if text.startswith("set language "):
            SETTINGS["language"] = text[13:]
            return ""
        self.log.append(text)
        if text == "info files":
            return "".join(self.sections())
        if text.startswith("maintenance info sections"):
            return ""  # no file is the program
        if text.startswith("lane "):
            lane = int(text[5:])
            if lane >= self.arch.lane_count:
                raise Error(f"Lane {lane} does not exist on this thread.")
            self.lanes[self.thread] = lane
            return f"[Switching to thread {self.thread}, lane {lane}]"
        if (match := SET_BYTE.fullmatch(text)) is not None:
            where, data = self.memory(match["space"]), bytes([int(match["byte"], 16)])
            self.target.write_memory(where, int(match["address"], 16), data)
            gdb.events.memory_changed.emit()
            return ""
        if (match := SET_REGISTER.fullmatch(text)) is not None:
            register = self.register(match["name"])
            size = 4 if match["index"] else register.size_bits // 8
            data = int(match["number"], 16).to_bytes(size, "little")
            offset = size * int(match["index"] or 0)
            self.target.write_register(self.wave, register, data, offset)
            gdb.events.register_changed.emit()
            return ""
        return ours(text)

    def convenience(self, name: str) -> int | None:
        known = {"_lane": self.lanes[self.thread], "_lane_count": self.arch.lane_count}
        return known.get(name)

    def sections(self) -> list[str]:
        out = []
        for code_object in self.state.code_objects:
            file = open_object(code_object.path)
            for section in file.sections:
                if section.flags & SHF_ALLOC and section.size_bytes:
                    begin = section.address + code_object.load_address
                    end = begin + section.size_bytes
                    line = f"\t{begin:#018x} - {end:#018x} is {section.name} in "
                    out.append(line + self.name(code_object.path) + "\n")
        return out

    def name(self, path: Path) -> str:
        """How ROCgdb calls a code object."""
        size = path.stat().st_size
        if self.uri == "memory":
            return f"memory://77#offset={LOADED:#x}&size={size}"
        if self.uri == "whole":
            return f"file://{path}"
        if self.uri == "sized":
            return f"file://{path}#offset=0&size={size}"
        return f"file://{quote(self.uri)}#offset=4096&size={size}"

    def register(self, name: str) -> RegisterInfo:
        result = self.arch.register_named(name)
        if result is None:
            raise ValueError(f"Invalid register `{name}'")
        return result

    def value(self, name: str) -> Value:
        register = self.register(name)
        try:
            data = self.target.read_register(self.wave, register)
        except DwarfGpuError:
            raise Error(f"Could not fetch register {name}") from None
        kind = Type("int", len(data))
        if register.register_class == "vector":
            kind = Type("array", len(data), Type("int", 4))
        return Value(kind, data)


class Frame:
    """The only frame of a wave."""

    def __init__(self, machine: Machine) -> None:
        self.machine, self.thread = machine, machine.thread

    def is_valid(self) -> bool:
        return self.thread == self.machine.thread

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frame) and other.thread == self.thread

    def __hash__(self) -> int:
        return self.thread

    def pc(self) -> int:
        pc = self.machine.waves[self.thread].pc
        assert pc is not None
        return int(pc)

    def read_register(self, name: str) -> Value:
        return self.machine.value(name)

    def architecture(self) -> Any:
        return self.machine.architecture()

    def level(self) -> int:
        return 0

    def block(self) -> None:
        raise RuntimeError("Cannot locate block for frame.")

    def type(self) -> int:
        return int(gdb.NORMAL_FRAME)

    def older(self) -> None:
        return None

    newer = older

    def unwind_stop_reason(self) -> int:
        return 1  # GDB knows no caller

    def select(self) -> None:
        """There is only one."""

    def language(self) -> str:
        return "c++"

    def name(self) -> str | None:
        return None


class Thread:
    """A wave."""

    def __init__(self, machine: Machine, number: int) -> None:
        self.machine, self.num, self.global_num = machine, number, number

    def switch(self) -> None:
        self.machine.thread = self.num

    def is_valid(self) -> bool:
        return True

    def is_running(self) -> bool:
        return False


class Event:
    """One of gdb.events."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def connect(self, function: Any) -> None:
        self.told.append(function)

    def emit(self) -> None:
        for function in self.told:
            function(SimpleNamespace())


class Command:
    """gdb.Command and gdb.Function."""

    known: ClassVar[dict[str, Command]] = {}

    def __init__(self, name: str, *_: object, **__: object) -> None:
        Command.known[name] = self

    def invoke(self, argument: str, from_tty: bool) -> None:
        raise NotImplementedError


def of_python(what: int | str) -> Any:
    """gdb.Value of text, which GDB 13 shows up to the end of equal characters, or of a number, for
    its symbol alone."""
    if isinstance(what, int):
        raise Error(f"No symbol matches {what:#x}.")
    return SimpleNamespace(format_string=lambda **_: f'"{what}"')


class PythonValue(Value):
    """What `gdb.Value(number)` makes."""

    def __new__(cls, number: object) -> Value:  # type: ignore[misc]
        return of_python(number)  # type: ignore[arg-type]


SETTINGS = {
    "print array": False, "print array-indexes": False, "print null-stop": False,
    "print symbol": True, "print union": True, "print static-members": True,
    "print elements": 200, "print characters": "elements", "print repeats": 10,
    "print max-depth": 20, "print pretty": False, "print raw-values": False,
    "backtrace limit": None, "backtrace past-main": False, "print frame-arguments": "scalars",
    "print entry-values": "default", "may-call-functions": True,
    "language": "auto", "width": 80, "debug-file-directory": "",
}  # fmt: skip


EVENTS = (
    "cont", "stop", "exited", "inferior_call", "new_objfile", "clear_objfiles", "memory_changed",
    "register_changed",
)  # fmt: skip


def ours(text: str) -> str:
    """A command of dwarfgpu, which prints."""
    for name in sorted(Command.known, key=len, reverse=True):
        if text.startswith(f"{name} ") or text == name:
            Command.known[name].invoke(text[len(name) :].strip(), False)
            return ""
    raise Error(f'Undefined command: "{text}".')


class Parameter:
    """A setting that nothing sets."""

    def __init__(self, *about: object) -> None:
        self.about = about


def install(machine: Machine) -> None:
    """Make the module that dwarfgpu imports."""
    gdb.error, gdb.GdbError = Error, type("GdbError", (Exception,), {})
    gdb.MemoryError = type("MemoryError", (Error,), {})
    gdb.Command = gdb.Function = Command
    gdb.Parameter, gdb.PARAM_ZUINTEGER, gdb.PARAM_ENUM = Parameter, 0, 1
    gdb.Value, gdb.Type, gdb.Frame = PythonValue, Type, Frame
    for index, name in enumerate(("NORMAL", "INLINE", "TAILCALL", "SIGTRAMP")):
        setattr(gdb, f"{name}_FRAME", index)
    gdb.FRAME_UNWIND_NO_REASON = 0
    gdb.target_charset = lambda: "UTF-8"
    gdb.string_to_argv, gdb.COMPLETE_FILENAME = shlex.split, "filename"
    for name in ("INT", "PTR", "FLAGS", "ARRAY", "STRUCT", "UNION", "VOID", "REF", "RVALUE_REF",
                 "FUNC", "STRING", "CHAR", "BOOL", "ENUM", "RANGE", "FLT"):  # fmt: skip
        setattr(gdb, f"TYPE_CODE_{name}", name.lower())
    for name in ("DATA", "STACK", "USER"):
        setattr(gdb, f"COMMAND_{name}", name)
    gdb.events = SimpleNamespace(**{name: Event() for name in EVENTS})
    gdb.parameter = SETTINGS.__getitem__
    gdb.host_charset, gdb.current_recording = lambda: "UTF-8", lambda: None
    gdb.execute, gdb.parse_and_eval = machine.execute, machine.evaluate
    gdb.convenience_variable = machine.convenience
    gdb.selected_thread = lambda: Thread(machine, machine.thread)
    gdb.selected_frame = gdb.newest_frame = lambda: Frame(machine)
    gdb.objfiles = gdb.progspaces = list
    space = type("Progspace", (), {"filename": "/bin/host"})()
    gdb.current_progspace = lambda: space
    gdb.lookup_global_symbol = gdb.lookup_static_symbol = lambda name, domain: None
    gdb.block_for_pc = lambda pc: None
    gdb.SYMBOL_VAR_DOMAIN, gdb.SYMBOL_STRUCT_DOMAIN = 1, 2

    def no_type(name: str) -> None:
        raise Error(f"No type named {name}.")

    gdb.lookup_type = no_type
    inferior = SimpleNamespace(
        connection=None,
        num=1,
        pid=1,
        threads=lambda: [Thread(machine, wave) for wave in machine.waves],
        architecture=lambda: SimpleNamespace(name=lambda: "i386:x86-64"),
        read_memory=lambda address, size: machine.read("global", address, size),
        write_memory=lambda address, data: machine.target.write_memory(
            machine.memory("global"), address, data
        ),
    )
    gdb.selected_inferior = lambda: inferior
    sys.modules["gdb"] = gdb


def main() -> None:
    machine = Machine(Path(sys.argv[1]).resolve())
    install(machine)
    source = Path(__file__).resolve().parents[2] / "dwarfgpu/gdb/source.py"
    runpy.run_path(str(source), run_name="__main__")
    for text in sys.argv[2:]:
        before = machine.thread, dict(machine.lanes)
        print(f"> {text.splitlines()[0]}")
        try:
            if text.startswith("python"):
                exec(text.removeprefix("python"), {"gdb": gdb, "machine": machine})
            else:
                machine.execute(text)
        except (Error, gdb.GdbError) as error:
            print(f"error: {error}")
        if text.startswith("dwarfgpu"):
            assert (machine.thread, machine.lanes) == before, "GDB is elsewhere"
    print("@" + json.dumps(machine.log))


if __name__ == "__main__":
    main()
