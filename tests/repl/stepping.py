"""A backend that runs: enough of x86-64 for `factorial` of fixtures/x86_64/demo.gcc.O0.v5."""

from __future__ import annotations

from collections.abc import Callable

from dwarfgpu.arch.model import Architecture
from dwarfgpu.arch.registry import architecture
from dwarfgpu.machine.run_control import Halt
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import WaveId
from dwarfgpu.model.storage import Memory

CALL, RETURN = 0x1462, 0x1467
"""In main: the call of factorial, and what comes after it."""
_STACK = 0x7FFF_F000
_DEPTH = 0x45A8


class Stepping(StateTarget):
    """`main` calls `factorial(argument)`; the program ends after the instruction that follows."""

    def __init__(self, argument: int = 3, arch: Architecture | None = None) -> None:
        super().__init__(arch or architecture("x86_64"))
        self.argument = argument
        self.add_wave(1)
        self.set_memory(self.global_memory, _STACK - 0x1000, bytes(0x1100))
        self.set_memory(self.global_memory, _DEPTH - 8, bytes(16))
        self.start()

    @property
    def global_memory(self) -> Memory:
        return Memory(self.architecture.address_space(0))

    def get(self, name: str) -> int:
        register = self.architecture.by_name[name]
        return int.from_bytes(self.read_register(1, register), "little")

    def put(self, name: str, value: int) -> None:
        register = self.architecture.by_name[name]
        self.set_register(1, register, (value % 2**64).to_bytes(8, "little"))

    def load(self, address: int, size: int = 8) -> int:
        return int.from_bytes(self.read_memory(self.global_memory, address, size), "little")

    def store(self, address: int, value: int, size: int = 8) -> None:
        data = (value % 2 ** (8 * size)).to_bytes(size, "little")
        self.write_memory(self.global_memory, address, data)

    def start(self) -> Halt:
        self.store(_DEPTH, 0, 4)
        self.put("rsp", _STACK - 0x20)
        self.put("rbp", _STACK)
        self.put("rax", 0)
        self.put("rdx", 0)
        self.put("rdi", self.argument)
        self.put("rip", CALL)
        self.stop += 1
        return Halt("end-stepping-range", 1)

    def step_instruction(self, wave: WaveId) -> Halt:
        self.stop += 1
        pc = self.get("rip")
        if pc == RETURN:
            return Halt("exited", exit_code=self.get("rax") % 256)
        self.put("rip", _PROGRAM[pc](self))
        return Halt("end-stepping-range", 1)

    def resume(self, addresses: frozenset[int]) -> Halt:
        while True:
            halt = self.step_instruction(1)
            if halt.reason == "exited":
                return halt
            if self.get("rip") in addresses:
                return Halt("breakpoint-hit", 1)


Step = Callable[[Stepping], int]


def _push(machine: Stepping, value: int) -> None:
    machine.put("rsp", machine.get("rsp") - 8)
    machine.store(machine.get("rsp"), value)


def _pop(machine: Stepping) -> int:
    value = machine.load(machine.get("rsp"))
    machine.put("rsp", machine.get("rsp") + 8)
    return value


def _call(after: int) -> Step:
    def step(machine: Stepping) -> int:
        _push(machine, after)
        return 0x1147

    return step


def _do(after: int, effect: Callable[[Stepping], object]) -> Step:
    def step(machine: Stepping) -> int:
        effect(machine)
        return after

    return step


def _local(offset: int) -> Callable[[Stepping], int]:
    return lambda machine: machine.load(machine.get("rbp") + offset, 4)


def _leave(machine: Stepping) -> None:
    machine.put("rsp", machine.get("rbp"))
    machine.put("rbp", _pop(machine))


_PROGRAM: dict[int, Step] = {
    CALL: _call(RETURN),
    0x1147: _do(0x1148, lambda m: _push(m, m.get("rbp"))),
    0x1148: _do(0x114B, lambda m: m.put("rbp", m.get("rsp"))),
    0x114B: _do(0x114F, lambda m: m.put("rsp", m.get("rsp") - 0x20)),
    0x114F: _do(0x1152, lambda m: m.store(m.get("rbp") - 0x14, m.get("rdi"), 4)),
    0x1152: _do(0x1155, lambda m: m.put("rax", _local(-0x14)(m))),
    0x1155: _do(0x1158, lambda m: m.store(m.get("rbp") - 4, m.get("rax"), 4)),
    0x1158: _do(0x115E, lambda m: m.put("rax", m.load(_DEPTH, 4))),
    0x115E: _do(0x1161, lambda m: m.put("rax", m.get("rax") + 1)),
    0x1161: _do(0x1167, lambda m: m.store(_DEPTH, m.get("rax"), 4)),
    0x1167: _do(0x116B, lambda m: None),
    0x116B: lambda m: 0x1174 if _local(-0x14)(m) > 1 else 0x116D,
    0x116D: _do(0x1172, lambda m: m.put("rax", 1)),
    0x1172: lambda m: 0x119C,
    0x1174: _do(0x1177, lambda m: m.put("rax", _local(-0x14)(m))),
    0x1177: _do(0x117A, lambda m: m.put("rax", m.get("rax") - 1)),
    0x117A: _do(0x117C, lambda m: m.put("rdi", m.get("rax"))),
    0x117C: _call(0x1181),
    0x1181: _do(0x1184, lambda m: m.store(m.get("rbp") - 8, m.get("rax"), 4)),
    0x1184: _do(0x118A, lambda m: m.put("rdx", m.load(_DEPTH, 4))),
    0x118A: _do(0x118D, lambda m: m.put("rax", _local(-8)(m))),
    0x118D: _do(0x118F, lambda m: m.put("rax", m.get("rax") + m.get("rdx"))),
    0x118F: _do(0x1195, lambda m: m.store(0x45A4, m.get("rax"), 4)),
    0x1195: _do(0x1198, lambda m: m.put("rax", _local(-4)(m))),
    0x1198: _do(0x119C, lambda m: m.put("rax", m.get("rax") * _local(-8)(m))),
    0x119C: _do(0x119D, _leave),
    0x119D: _pop,
}
