"""`fixtures/asm/nested_if*`: the wave at every instruction, and where each of its lanes is.

`Waves` runs the code of a fixture. `where_lanes_are` tells the same from the structure of the
program and the conditions of each lane, without execution masks and debugging information.
`python -m tests.simt.nested_if` writes the state files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Literal

from dwarfgpu.base.records import frozen
from dwarfgpu.objfile.elf import open_object
from tests.simt.instructions import EXEC, Wave

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
KINDS: Final = ("nested_if", "nested_if_lanes", "nested_if_memory", "nested_if_whole")
LANES: Final = {"gfx942": 64, "gfx1100": 32}
LABELS: Final = (
    "start", "1_start", "1_then", "1_1_start", "1_1_then", "1_1_else", "1_1_end", "1_else",
    "1_end", "end",
    "after_y", "y", "y_1_start", "y_1_then", "y_1_end", "y_end",
)  # fmt: skip
"""The last ones are those of `nested_if_call`."""

Way = Literal["absent", "f", "d", "c", "c3"]
"""What a lane does: it does not enter, or takes the part that only one way goes through.

"c3" is "c" for which the condition of `y` holds.
"""
WAYS: Final[tuple[Way, ...]] = ("absent", "f", "d", "c", "c3")
VALUES: Final[dict[Way, int]] = {
    "f": 1 + 32 + 64,
    "d": 1 + 2 + 8 + 16 + 64,
    "c": 1 + 2 + 4 + 16 + 64,
    "c3": 1 + 2 + 4 + 16 + 64,
}
"""What `r` is at the end."""


CONDITIONS: Final[dict[int, frozenset[Way]]] = {
    2: frozenset({"c", "c3", "d"}),
    3: frozenset({"c", "c3"}),
    6: frozenset({"c3"}),
}
"""By the vector register that has it: the lanes for which a condition holds."""


@frozen(eq=False)
class Program:
    """The code of a fixture and its labels."""

    name: str
    processor: str
    path: Path
    code: bytes
    labels: dict[str, int]

    @property
    def lanes(self) -> int:
        return LANES[self.processor]


def program(kind: str, processor: str) -> Program:
    path = FIXTURES / f"asm/{kind}.{processor}.v5.co"
    file = open_object(path)
    data, code = file.section_data(".labels"), file.section_data(".text")
    addresses = [int.from_bytes(data[at : at + 8], "little") for at in range(0, len(data), 8)]
    labels = dict(zip(LABELS, addresses, strict=False))
    assert file.sections_by_name[".text"].address == labels["start"]
    return Program(kind, processor, path, code, labels)


def waves(program: Program, ways: Sequence[Way]) -> Iterator[Wave]:
    """The wave before each instruction; the same object, which goes on."""
    lanes = program.lanes
    ways = [*ways, *["absent"] * (lanes - len(ways))]
    vgprs = {0: [*range(lanes)]}
    for register, those in CONDITIONS.items():
        vgprs[register] = [int(way in those) for way in ways]
    wave = Wave(lanes, program.labels["start"], program.code, program.labels["start"], vgprs)
    entered = sum(1 << lane for lane, way in enumerate(ways) if way != "absent")
    wave.set_mask(EXEC, entered)
    while not wave.has_ended:
        yield wave
        wave.step()


def stopped(program: Program, ways: Sequence[Way], pc: int) -> Wave:
    return next(wave for wave in waves(program, ways) if wave.pc == pc)


# The model: a program is a list of statements; a lane waits at the branch of what it does not do
# first, and after what it has done.


@frozen
class If:
    """An `if`: the branch is at `start`, the parts go from `then` to `other` and on to `end`."""

    start: int
    then: int
    other: int
    end: int
    condition: frozenset[Way]
    """The lanes that take the then part."""
    body: tuple[If, ...]
    else_body: tuple[If, ...] = ()


def structure(labels: dict[str, int]) -> tuple[If, ...]:
    """a; if (c1) { b; if (c2) c; else d; e; } else f; g."""

    def made(name: str, condition: int, *body: If) -> If:
        places = (labels[f"{name}_{place}"] for place in ("start", "then", "else", "end"))
        return If(*places, CONDITIONS[condition], body)

    return (made("1", 2, made("1_1", 3)),)


def structure_of_y(labels: dict[str, int]) -> tuple[If, ...]:
    """n = 1; if (c3) n += 2; return n;"""
    start, then, end = (labels[f"y_1_{place}"] for place in ("start", "then", "end"))
    return (If(start, then, end, end, CONDITIONS[6], ()),)


def where(body: tuple[If, ...], pc: int, way: Way) -> int:
    """The program location of a lane that executes a body in which the wave is at `pc`."""
    for node in body:
        takes_then = way in node.condition
        if node.then <= pc < node.other:
            return where(node.body, pc, way) if takes_then else node.start
        if node.other <= pc < node.end:
            return node.end if takes_then else where(node.else_body, pc, way)
    return pc


def where_lanes_are(program: Program, ways: Sequence[Way], pc: int) -> list[int | None]:
    """Of each lane; None of those that never entered."""
    body = structure(program.labels)
    if "y" in program.labels and pc >= program.labels["y"]:
        pc = program.labels["after_y"]  # where x goes on
    ways = [*ways, *["absent"] * (program.lanes - len(ways))]
    return [None if way == "absent" else where(body, pc, way) for way in ways]


def where_lanes_are_in_y(program: Program, ways: Sequence[Way], pc: int) -> list[int | None]:
    """Of each lane in the call of `y`; None of those that are not in c."""
    body = structure_of_y(program.labels)
    ways = [*ways, *["absent"] * (program.lanes - len(ways))]
    return [where(body, pc, way) if way in CONDITIONS[3] else None for way in ways]


# The state files

STATES: Final = {
    "nested_if.gfx942": ("nested_if", "gfx942", "1_1_else", 0),
    "nested_if_memory.gfx1100": ("nested_if_memory", "gfx1100", "1_else", 0),
    "nested_if_call.gfx942": ("nested_if_call", "gfx942", "y_1_then", 0),
    "nested_if_whole.gfx942": ("nested_if_whole", "gfx942", "1_1_then", 3),
}
"""By name of the file: program, and the label and how many instructions behind it."""


def ways_of(lanes: int) -> list[Way]:
    """The first quarter takes c, half of it with c3, the next d, the third f; of the last, half."""
    eighth = lanes // 8
    ways: list[Way] = ["c3", "c", "d", "d", "f", "f", "f"]
    return [way for way in ways for _ in range(eighth)]


def registers_of(wave: Wave) -> dict[str, object]:
    registers: dict[str, object] = {"exec": hex(wave.exec)}
    registers |= {f"s{n}": hex(value) for n, value in sorted(wave.sgprs.items()) if n < 100}
    return registers | {f"v{n}": values for n, values in sorted(wave.vgprs.items())}


def state(name: str) -> dict[str, object]:
    """The state file of a name."""
    kind, processor, label, further = STATES[name]
    result = program(kind, processor)
    running = waves(result, ways_of(result.lanes))
    wave = next(node for node in running if node.pc == result.labels[label])
    for _ in range(further):
        wave.step()
    memory = [
        {"space": "private_wave", "address": hex(at), "bytes": dword.to_bytes(4, "little").hex()}
        for at, dword in sorted(wave.scratch.items())
    ]
    described: dict[str, object] = {"pc": hex(wave.pc), "registers": registers_of(wave)}
    if memory:
        described["memory"] = memory
    return {
        "schema": "dwarfgpu-state-1",
        "note": f"{result.path.name} run to here by tests/simt/nested_if.py",
        "architecture": processor,
        "code_objects": [{"path": f"../asm/{result.path.name}"}],
        "waves": [described],
    }


def state_text(name: str) -> str:
    return json.dumps(state(name)) + "\n"


if __name__ == "__main__":
    for element in STATES:
        (FIXTURES / f"states/{element}.json").write_text(state_text(element))
