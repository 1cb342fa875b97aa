"""Instructions of lanes against models of one lane."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from dwarfgpu.isa.decode import decoder
from dwarfgpu.isa.instruction import Encoding
from dwarfgpu.isa.operation import operation_named, operations_by_name
from tests.machine.simulated import programs, vectors

TARGETS = ("gfx90a", "gfx1030", "gfx1100", "gfx1200")
MASK = {bits: (1 << bits) - 1 for bits in (8, 16, 24, 32, 64)}
Model = Callable[..., int]


def s(number: int, bits: int) -> int:
    """As a signed number."""
    number &= MASK[bits] if bits in MASK else (1 << bits) - 1
    return number - (1 << bits) if number >> bits - 1 else number


@cache
def encoding_of(target: str, name: str) -> Encoding | None:
    """The encoding of VOP3 or VOP3P of an operation by any of its names."""
    machine = decoder(target)
    operation = operations_by_name(machine.target.generation).get(name)
    for item in machine.encodings:
        flags = item.format.flags
        if flags & {"VOP3", "VOP3P"} and not flags & {"DPP", "SDWA"}:
            result = operation_named(item.mnemonic, machine.target.generation)
            if result is operation and result is not None:
                return item
    return None


def computed(
    target: str,
    encoding: Encoding,
    cases: Sequence[tuple[int, ...]],
    dwords: int,
    *,
    mode: int | None = None,
    **fields: int,
) -> list[int]:
    """The result for each case, of so many dwords; sources are in VGPRs."""
    size = decoder(target).target.wave_size
    used = {f"src{n}": 256 + 2 * n for n in range(len(cases[0]))} | {"vdst": 8} | fields
    code = programs.placed(encoding, used).to_bytes(encoding.format.size, "little")
    out = []
    for first in range(0, len(cases), size):
        some = cases[first : first + size]
        machine = vectors.machine(code, size, target, size)
        [wave] = machine.waves
        if mode is not None:
            wave.set_mode(mode)
        for lane, case in enumerate(some):
            for number, value in enumerate(case):
                wave.v[2 * number][lane] = value & MASK[32]
                wave.v[2 * number + 1][lane] = value >> 32
        stopped = machine.run(most=1)
        assert stopped is None, stopped
        for lane in range(len(some)):
            out.append(sum(int(wave.v[8 + n][lane]) << 32 * n for n in range(dwords)))
    return out


def require(
    name: str,
    bits: int,
    model: Model,
    cases: Sequence[tuple[int, ...]],
    same: Callable[[int, int], bool] = int.__eq__,
    **fields: int,
) -> None:
    """On every target that has the operation; `bits` are those of the result."""
    require_on(TARGETS, name, bits, model, cases, same, **fields)


def require_on(
    targets: Sequence[str],
    name: str,
    bits: int,
    model: Model,
    cases: Sequence[tuple[int, ...]],
    same: Callable[[int, int], bool] = int.__eq__,
    *,
    mode: int | None = None,
    **fields: int,
) -> None:
    """On those of some targets that have the operation; one has."""
    is_any = False
    for target in targets:
        encoding = encoding_of(target, name)
        if encoding is None or not fields.keys() <= encoding.format.index.keys():
            continue
        is_any = True
        values = computed(target, encoding, cases, max(1, bits // 32), mode=mode, **fields)
        for case, number in zip(cases, values, strict=True):
            expected = model(*case) & MASK[bits]
            shown = " ".join(map(hex, case))
            text = (
                f"{target} {encoding.mnemonic} {shown}: {number & MASK[bits]:#x}, not {expected:#x}"
            )
            assert same(number & MASK[bits], expected), text
    assert is_any, name
