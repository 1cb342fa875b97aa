"""Every encoding with operands that must make no difference, on every processor.

    python -m tools.fuzz_operands --rounds 5 [--seed N] [--targets gfx90a,gfx1100:64]

A constant is what a register with its bits is, and a result is the same whether it overlaps a
source or not: an instruction reads all that it needs before it writes. Anything else is printed,
with the seed and the bytes that show it again. Numbers beside constants are no NaN: of two, a
result may have either. Matrices are left out: their results may not overlap all sources. A dual
instruction does what its two halves do, each alone from the state before both.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, Final

from dwarfgpu.isa.decode import Decoder, decoder
from dwarfgpu.isa.formats import Format
from dwarfgpu.isa.instruction import Encoding
from dwarfgpu.isa.operands import Constant, Literal, OperandKind
from dwarfgpu.isa.registers import Register
from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine
from tools.fuzz_instructions import BASE, instruction_of, left, machine_of, run

_SOURCE: Final = 60
"""The number of the registers, SGPRs and VGPRs, that have the bits of a constant."""
_REPLICATED: Final = ("v_pk_fmac_f16", "v_dot2_f16_f16", "v_dot2_bf16_bf16")
"""Operations of GFX11 whose inline constants are in both halves of a source."""
_APART: Final = {"v": 200, "a": 200, "s": 84}
"""The first register of a result that overlaps no source."""
_MATRICES: Final = ("mfma", "wmma", "smfmac", "swmmac")
_PLAIN: Final = 0x7BEF7BEF
"""Numbers with these bits alone are no NaN in any format of 8, 16, 32 or 64 bits."""
_MOST: Final = 40
_RESULTS: Final = ("vdst", "sdst", "vdata", "sdata")
_LITERAL: Final = 255
"""The field of a source that is the literal."""
_NEAR: Final = 6
"""Registers of dual instructions: few, so that they overlap."""
_MODES: Final = (0x3F0, 0x3C0, 0x1F0, 0x0F0, 0x3F5, 0x3FF)
"""Of MODE: with and without denormals, IEEE, DX10_CLAMP, and other directions of rounding."""


def _width(form: Format, name: str) -> int:
    runs = form.fields[form.index[name]].runs
    return max((mask.bit_length() + first for _, mask, first in runs), default=0)


def _with_field(form: Format, word: int, name: str, number: int) -> int:
    """Return the bits of an instruction with another number in a field."""
    for bit, mask, first in form.fields[form.index[name]].runs:
        word = word & ~(mask << bit) | (number >> first & mask) << bit
    return word


def _registers(form: Format, word: int) -> dict[str, Register]:
    """Return the operands that are registers, by the names of their fields."""
    values = (
        (name, kind.value(field.of(word)))
        for name, kind, field in zip(form.names, form.kinds, form.fields, strict=True)
    )
    return {name: value for name, value in values if isinstance(value, Register)}


def _ran(
    code: bytes, seed: int, form: Format, prepare: Callable[[Any], None]
) -> RunningMachine | str:
    """Return a machine that has executed code, or why it stopped."""
    machine = machine_of(code, seed, form.target.processor, form.target.wave_size)
    for wave in machine.waves:
        prepare(wave)
    stopped = machine.run(_MOST)
    return machine if stopped is None else stopped.text


def constant_finding(rng: Random, machine: Decoder, encoding: Encoding) -> str | None:
    """What differs between a constant and registers with its bits; None where nothing does."""
    form = encoding.format
    names = [name for name in form.names if name[:3] in ("src", "ssr", "vsr") and "_" not in name]
    has_own_literal = "imm" in form.index  # v_fmaak_f32: a source shares it
    if not names or has_own_literal or any(part in encoding.mnemonic for part in _MATRICES):
        return None
    name = rng.choice(names)
    kind = form.kinds[form.index[name]]
    values = {number: kind.value(number) for number in range(1 << _width(form, name))}
    constants = [
        number
        for number, value in values.items()
        if isinstance(value, Literal) or (isinstance(value, Constant) and value.value >= 0)
    ]
    registers = [
        number
        for number, value in values.items()
        if isinstance(value, Register) and value.first == _SOURCE and value.bank in "sv"
        and not value.half and kind.takes(value)
    ]  # fmt: skip
    code, _ = instruction_of(rng, machine, encoding)
    word = int.from_bytes(code[: form.size], "little")
    if not constants or not registers or form.literal_state(word) == 1:
        return None
    number, literal, seed = rng.choice(constants), rng.getrandbits(31) & _PLAIN, rng.getrandbits(30)
    value = values[number]
    bits = literal << value.shift if isinstance(value, Literal) else value.value  # type: ignore[union-attr]
    if (
        encoding.mnemonic.startswith(_REPLICATED)
        and form.target.generation >= 11
        and not isinstance(value, Literal)
    ):
        bits = (bits & 0xFFFF) * 0x10001

    def prepare(wave: Any) -> None:
        for rows in (wave.vectors, wave.accumulators):
            rows &= _PLAIN
        descriptor = slice(BASE, BASE + 4)
        wave.s[:], wave.s[descriptor] = [item & _PLAIN for item in wave.s], wave.s[descriptor]
        for index in range(4):
            wave.s[_SOURCE + index] = wave.vectors[_SOURCE + index][:] = (
                bits >> 32 * (index & 1) & 0xFFFFFFFF
            )

    results: list[tuple[bytes, dict[str, Any]]] = []
    for chosen in (number, *registers):
        changed = _with_field(form, word, name, chosen).to_bytes(form.size, "little")
        instruction = machine.decode(changed + literal.to_bytes(4, "little") + bytes(12))
        if instruction is None or instruction.encoding is not encoding:
            return None
        size = instruction.size
        changed = (changed + literal.to_bytes(4, "little"))[:size]
        ran = _ran(changed, seed, form, prepare)
        if isinstance(ran, str):
            return None  # memory, or an operand that the encoding does not take
        state = left(ran, None)
        del state["code"]
        state = {key: item[0][1:] + item[1] if key[:4] == "wave" else item
                 for key, item in state.items()}  # fmt: skip
        if results and state != results[0][1]:
            return f"seed {seed}: {results[0][0].hex()} and {changed.hex()} differ"
        results.append((changed, state))
    return None


def overlap_finding(rng: Random, machine: Decoder, encoding: Encoding) -> str | None:
    """What differs between a result that overlaps a source and one apart from all; None where
    nothing does."""
    form = encoding.format
    names = [name for name in _RESULTS if name in form.index]
    is_extended = any(field.byte >= 0 for field in form.fields)
    if not names or is_extended or any(part in encoding.mnemonic for part in _MATRICES):
        return None
    name = rng.choice(names)
    code, _ = instruction_of(rng, machine, encoding)
    word, tail = int.from_bytes(code[: form.size], "little"), code[form.size :]
    operands = _registers(form, word)
    result = operands.pop(name, None)
    if result is None or result.bank not in _APART or result.half:
        return None
    others = [item for item in operands.values() if item.bank == result.bank and not item.half]
    if not others or any(other in _RESULTS for other in operands):
        return None
    source = rng.choice(others)
    apart, near = _APART[result.bank], source.first + rng.randrange(1 - result.size, source.size)
    if any(item.first < apart + result.size and apart < item.first + item.size for item in others):
        return None
    if near < 0 or near < apart + result.size and apart < near + result.size:
        return None
    kind = form.kinds[form.index[name]]
    numbers = {
        value.first: number
        for number in range(1 << _width(form, name))
        if isinstance(value := kind.value(number), Register)
        and value.bank == result.bank and not value.half and kind.takes(value)
    }  # fmt: skip
    if near not in numbers or apart not in numbers:
        return None
    bank = {"v": "vectors", "a": "accumulators", "s": "s"}[result.bank]
    seed, states = rng.getrandbits(30), []
    for first in (near, apart):
        changed = _with_field(form, word, name, numbers[first]).to_bytes(form.size, "little") + tail
        instruction = machine.decode(changed + bytes(16))
        if instruction is None or instruction.encoding is not encoding:
            return None

        def prepare(wave: Any, first: int = first) -> None:
            registers = getattr(wave, bank)
            registers[first : first + result.size] = registers[near : near + result.size].copy()

        ran = _ran(changed, seed, form, prepare)
        if isinstance(ran, str):
            return None
        contents = [getattr(wave, bank)[first : first + result.size] for wave in ran.waves]
        states.append((changed, [bytes(memoryview(rows)) if bank != "s" else [*rows]
                                 for rows in contents]))  # fmt: skip
    (one, left_near), (other, left_apart) = states
    return None if left_near == left_apart else f"seed {seed}: {one.hex()} and {other.hex()} differ"


def _near(rng: Random, kind: OperandKind, width: int) -> int:
    """Return a field of a dual instruction: one of few registers, a constant, or the literal."""
    while True:
        near = rng.randrange(_NEAR)
        field = rng.choice((near, 256 + near, rng.randrange(104, 256), 255)) if width > 8 else near
        value = kind.value(field)
        if value is not None and kind.takes(value):
            return field


def _half_alone(
    machine: Decoder, name: str, form: Format, values: dict[str, int], half: str, result: int
) -> tuple[bytes, Format]:
    """Return one half of a dual instruction as an instruction that writes a register, without the
    literal."""
    single = next(
        item
        for item in machine.encodings
        if item.mnemonic.removesuffix("_e32") == name.replace("v_dual_", "v_")
        and item.format.flags & {"VOP1", "VOP2"}
        and not item.format.flags & {"VOP3", "DPP", "SDWA"}
    )
    fields = {"vdst": result, "src0": values[f"src0{half}"], "src1": values.get(f"vsrc1{half}", 0),
              "imm": values.get("imm", 0)}  # fmt: skip
    word = single.value
    for field, number in fields.items():
        if field in single.format.index:
            word = _with_field(single.format, word, field, number)
    return word.to_bytes(single.format.size, "little"), single.format


def dual_finding(rng: Random, machine: Decoder, encoding: Encoding) -> str | None:
    """What differs between a dual instruction and its halves, each alone from the state before
    both; None where nothing does."""
    form = encoding.format
    if not form.second_mnemonic:
        return None
    values = {
        name: _near(rng, kind, _width(form, name)) if name != "imm" else rng.getrandbits(32)
        for name, kind in zip(form.names, form.kinds, strict=True)
    }
    word, literal = encoding.value, rng.getrandbits(32).to_bytes(4, "little")
    for name, number in values.items():
        word = _with_field(form, word, name, number)
    code = word.to_bytes(form.size, "little") + literal
    instruction = machine.decode(code + bytes(8))
    assert instruction is not None and instruction.encoding is encoding, code.hex()
    code = code[: instruction.size]
    results = {"X": values["vdstX"], "Y": values["vdstY"] & ~1 | ~values["vdstX"] & 1}
    seed, mode = rng.getrandbits(30), rng.choice(_MODES)

    def prepare(wave: Any) -> None:
        wave.set_mode(mode)

    both, expected = _ran(code, seed, form, prepare), _ran(b"", seed, form, prepare)
    assert not isinstance(expected, str), expected
    names = {"X": encoding.mnemonic, "Y": form.second_mnemonic}
    stops = []
    for half, result in results.items():
        alone, single = _half_alone(machine, names[half], form, values, half, result)
        if values[f"src0{half}"] == _LITERAL and "imm" not in single.index:
            alone += values["imm"].to_bytes(4, "little") if "imm" in values else literal
        one = _ran(alone, seed, single, prepare)
        if isinstance(one, str):
            stops.append(one)
            continue
        for wave, other in zip(expected.waves, one.waves, strict=True):
            wave.vectors[result] = other.vectors[result]
    text = f"seed {seed}, mode {mode:#x}: {code.hex()} {instruction.text.strip()}"
    if isinstance(both, str) or stops:
        is_alike = isinstance(both, str) and stops
        return None if is_alike else f"{text}: {both if isinstance(both, str) else stops[0]}"
    for wave, other in zip(both.waves, expected.waves, strict=True):
        if wave.vectors.tobytes() != other.vectors.tobytes():
            return f"{text} is not its halves"
    return None


def findings(
    target: str, wave_size: int, seed: int, encodings: Sequence[Encoding] | None = None
) -> Iterator[str]:
    """Lines about what differs, of all encodings of a processor or of some."""
    machine = decoder(target, wave_size)
    rng = Random(seed)
    for encoding in machine.encodings if encodings is None else encodings:
        for find in constant_finding, overlap_finding, dual_finding:
            problem = find(rng, machine, encoding)
            if problem is not None:
                yield f"{target} wave{wave_size} {encoding.mnemonic}: {problem}"


if __name__ == "__main__":
    sys.exit(run(__doc__.partition("\n")[0], findings))
