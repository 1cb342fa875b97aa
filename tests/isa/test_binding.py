"""From the bits of an instruction to its operands, and to what it reads and writes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from dwarfgpu.isa.binding import effects, operations_of, uses
from dwarfgpu.isa.decode import Decoder, decoder
from dwarfgpu.isa.instruction import Instruction
from dwarfgpu.isa.operands import Constant
from dwarfgpu.isa.operation import type_bits
from dwarfgpu.isa.registers import Register
from dwarfgpu.isa.wait_counters import wait_counters

ROWS = [
    tuple(line.split(" | "))
    for line in (Path(__file__).parent / "effects.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
ONE_OF_EACH = (
    *(("gfx803", 64), ("gfx90a", 64), ("gfx942", 64), ("gfx1030", 32), ("gfx1100", 32)),
    *(("gfx1100", 64), ("gfx1201", 32)),
)


def instruction(name: str, code: str, wave_size: int | None = None) -> Instruction:
    instructions = decoder(name, wave_size).decode(bytes.fromhex(code), 0, 0x100)
    assert instructions is not None
    return instructions


def names(registers: tuple[Register, ...]) -> str:
    return " ".join(register.name for register in registers) or "-"


@pytest.mark.parametrize("name, code, text, reads, writes, counters", ROWS)
def test_effects(name: str, code: str, text: str, reads: str, writes: str, counters: str) -> None:
    result = instruction(name, code)
    assert result.text == text
    assert (names(effects(result).reads), names(effects(result).writes)) == (reads, writes)
    assert (" ".join(wait_counters(result)) or "-") == counters


@pytest.mark.parametrize("name, wave_size", ONE_OF_EACH)
def test_each_encoding_has_its_operands(name: str, wave_size: int) -> None:
    """Every zero-filled instruction: a place for each field, as wide as its type."""
    made = decoder(name, wave_size)
    for encoding in made.encodings:
        for operation in operations_of(encoding):
            assert operation.names
    checked = sum(check_widths(result, wave_size) for result in zero_filled(made))
    assert checked > 4000


def zero_filled(made: Decoder) -> list[Instruction]:
    out = []
    for encoding in made.encodings:
        code = encoding.value.to_bytes(encoding.format.size, "little") + bytes(12)
        if (instructions := made.decode(code)) is not None:
            out.append(instructions)
    return out


def check_widths(found: Instruction, wave_size: int) -> int:
    checked = 0
    for use in uses(found):
        for operand in (*use.results, *use.sources):
            type = operand.declared.type
            if isinstance(operand.value, Register) and type[:1] not in ("", "["):
                dwords = max((type_bits(type, wave_size) + 31) // 32, 1)
                has_status = " tfe" in found.text
                assert operand.value.size == dwords + has_status, (found.text, operand)
                checked += 1
    return checked


def test_modifiers_and_constants_of_sources() -> None:
    (use,) = uses(instruction("gfx906", "010001d102e50120"))
    assert use.operation.name == "v_add_f32"
    first, second = use.sources
    assert (first.value, first.modifiers) == (Register("v", 2, 1), 1)
    assert second.value == Constant(0x3F800000)


def test_literal_is_a_constant() -> None:
    (use,) = uses(instruction("gfx906", "01ff008045230100"))
    assert use.sources[1].value == Constant(0x12345)


def test_label_is_the_address_of_the_branch() -> None:
    (use,) = uses(instruction("gfx906", "040088bf"))
    assert [str(item.declared) for item in use.sources] == ["label", "exec"]
    assert use.sources[0].value == 0x100 + 4 + 16


def test_both_operations_of_a_vopd() -> None:
    first, second = uses(instruction("gfx1100", "020712c8050d0401"))
    assert (first.operation.name, second.operation.name) == ("v_fmac_f32", "v_cndmask_b32")
    assert [item.value for item in second.results] == [Register("v", 4, 1)]
    assert second.sources[2].value == Register("vcc", 0, 1)


def test_a_mask_is_as_wide_as_the_wave() -> None:
    for size, dwords in ((32, 1), (64, 2)):
        (use,) = uses(instruction("gfx1100", "0105227c", size))
        assert use.results[0].value == Register("vcc", 0, dwords)


@pytest.mark.parametrize("name, wave_size", ONE_OF_EACH)
def test_effects_of_any_bytes(name: str, wave_size: int) -> None:
    """Registers of every instruction that random words are, each within its bank."""
    made = decoder(name, wave_size)
    rng = random.Random(name)
    checked = 0
    for encoding in made.encodings:
        free = (1 << 8 * encoding.format.size) - 1 & ~encoding.mask
        word = encoding.value | rng.getrandbits(8 * encoding.format.size) & free
        code = word.to_bytes(encoding.format.size, "little") + rng.randbytes(12)
        instructions = made.decode(code)
        if instructions is None:
            continue
        checked += 1
        for register in (*effects(instructions).reads, *effects(instructions).writes):
            assert register.bank not in ("v", "a") or register.first + register.size <= 256
        assert all(counter.isalpha() for counter in wait_counters(instructions))
    assert checked > 1000
