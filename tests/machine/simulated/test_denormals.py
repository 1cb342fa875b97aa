"""Law: an instruction under a FP_DENORM of MODE that flushes does what it does with denormals on to
sources that are flushed by hand, and then its results are flushed.

Tried of every operation that computes with floating point numbers and can be executed, in one
encoding each of its kinds: what is exempt is named here. A denormal number is flushed to the zero
of its sign.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from dwarfgpu.isa.binding import operations_of
from dwarfgpu.isa.decode import Decoder, decoder
from dwarfgpu.isa.instruction import Encoding, Instruction
from dwarfgpu.isa.modifiers import OP_SELECT, OP_SELECT_HIGH
from dwarfgpu.isa.operands import Literal, OperandKind
from dwarfgpu.isa.operation import Operation
from dwarfgpu.isa.registers import Register
from dwarfgpu.machine.simulated.semantics.compiled_instructions import why_not_simulated
from dwarfgpu.machine.simulated.semantics.instruction_operands import bound
from tests.machine.simulated import programs
from tools import fuzz_instructions

SHARE = int(os.environ.get("DWARFGPU_INSTRUCTION_SHARE", "120"))
"""1 for all encodings with all modes."""
TARGETS = [("gfx803", 64), ("gfx906", 64), ("gfx942", 64), ("gfx950", 64), ("gfx1030", 32),
           ("gfx1100", 32), ("gfx1150", 32), ("gfx1200", 32)]  # fmt: skip
MODES = {"lockstep": 0x0, "block": 0xA, "precise": 0x5}
"""FP_DENORM: neither kind, results alone, sources alone; and what executes that."""
ON = 0xF
KEEP_SOURCES = re.compile(r"v_cmpx?_class_")
"""LLVM selects them for `llvm.is.fpclass`, whatever the mode."""
KEEP_RESULTS = re.compile(r"v_div_scale_")
"""The result is a source, scaled or as it is."""
KEEP_ON_GFX8 = re.compile(r"v_(min|max|med)3?_f")
"""LLVM: `supportsMinMaxDenormModes`."""
MATRICES = re.compile("mfma|wmma|smfmac|swmmac")
"""MODE does not concern them."""
HALVES = {"v_fma_mixlo_f16": "f16", "v_fma_mixhi_f16": "high", "v_mad_mixlo_f16": "f16",
          "v_mad_mixhi_f16": "high", "v_pack_b32_f16": "v2f16",
          "s_cvt_pk_rtz_f16_f32": "v2f16"}  # fmt: skip
"""Results of type b32 that have f16."""
SOURCE_HALVES = {"s_cvt_hi_f32_f16": "high"}
OPERAND = re.compile(r"[vs]?src([012])([XY]?)")
SOURCES = {"0": 4, "1": 8, "2": 12, "0X": 4, "1X": 8, "0Y": 12, "1Y": 16}
RESULTS = {"vdst": 40, "sdst": 60, "vdstX": 40, "vdstY": 45}
CONTROLS = {"dpp_ctrl": 0x140, "row_mask": 15, "bank_mask": 15, "dpp8": 0o01234567,
            "src0_sel": 6, "src1_sel": 6, "dst_sel": 6, "dst_unused": 2}  # fmt: skip
"""DPP that gives each lane the number of another, SDWA that has all of a register."""
LITERAL = 255
EXPONENTS = {16: 0x7C00, 32: 0x7F800000, 64: 0x7FF << 52}
FRACTION_BITS = {16: 10, 32: 23, 64: 52}


def flushed(numbers: Any, bits: int) -> Any:
    """Numbers with the zero of their sign in place of denormal ones."""
    return np.where(numbers & EXPONENTS[bits], numbers, numbers & 1 << bits - 1)


def pool(bits: int) -> list[int]:
    """Denormal numbers, numbers whose products are, and others, as many."""
    least = 1 << FRACTION_BITS[bits]
    one = (EXPONENTS[bits] >> 1) // least * least
    tiny = [1, least - 1, least // 2, least // 3, least // 4 * 3]
    normal = [0, least, least + 1, least * 3 // 2, one, one - least, one + least, one + least // 2,
              one * 3 // 2 // least * least]  # fmt: skip
    return [number | sign << bits - 1 for number in tiny * 2 + normal for sign in (0, 1)]


NUMBERS = {bits: np.array(pool(bits), np.uint64) for bits in (16, 32, 64)}
INTEGERS = np.array([0, 1, 2, 3, 20, -1, -2, -20, -130, 1000]).astype(np.uint64) & 0xFFFFFFFF


@dataclass(frozen=True)
class Numbers:
    """Where an instruction has numbers, and their type: `f16` in the low half, `high`, `v2f16`,
    `f32`, `v2f32`, `f64`."""

    register: Register
    type: str

    def read(self, wave: Any) -> Any:
        """The numbers of all lanes, each with all bits of the registers."""
        bank, first = self.register.bank, self.register.first
        rows = [wave.vectors[first + n] if bank == "v" else [wave.s[first + n]]
                for n in range(self.size)]  # fmt: skip
        return sum(np.array(row, np.uint64) << 32 * n for n, row in enumerate(rows))

    @property
    def size(self) -> int:
        return 2 if self.type in ("f64", "v2f32") else 1

    def change(self, wave: Any, change: Any) -> None:
        """Change each number in a wave."""
        new = self.changed(self.read(wave), change)
        for n in range(self.size):
            row = new >> 32 * n & 0xFFFFFFFF
            if self.register.bank == "v":
                wave.vectors[self.register.first + n] = row
            else:
                wave.s[self.register.first + n] = int(row[0])

    def changed(self, old: Any, change: Any) -> Any:
        match self.type:
            case "f16":
                return old & ~np.uint64(0xFFFF) | change(old & 0xFFFF, 16)
            case "high":
                return old & 0xFFFF | change(old >> 16, 16) << 16
            case "v2f16":
                return change(old & 0xFFFF, 16) | change(old >> 16, 16) << 16
            case "v2f32":
                return change(old & 0xFFFFFFFF, 32) | change(old >> 32, 32) << 32
            case "f64":
                return change(old, 64)
        return change(old, 32)


def types_of(operation: Operation) -> list[str]:
    declared = (*operation.sources, *operation.results)
    return [item.type for item in declared if item.type]


def is_of_floats(encoding: Encoding) -> bool:
    operations = operations_of(encoding)
    if not operations or any(item.memory or not item.expression for item in operations):
        return False
    if MATRICES.search(encoding.mnemonic):
        return False
    return any(re.search(r"_b?f(16|32|64)", item.name) for item in operations) or any(
        re.fullmatch(r"(v\d)?f\d+", type) for item in operations for type in types_of(item)
    )


def kind_of(encoding: Encoding) -> tuple[object, ...]:
    """What one encoding is enough of: operations, and whether it is DPP, SDWA, VOP3 or dual. Of
    dual instructions, each operation in each half."""
    form = encoding.format
    if form.second_mnemonic:
        return "dual", encoding.mnemonic
    flags = tuple(sorted(form.flags & {"VOP3", "VOP3P", "DPP", "SDWA"}))
    return encoding.mnemonic, flags, "dpp8" in form.index


def encodings_of(machine: Decoder) -> list[Encoding]:
    chosen: dict[object, Encoding] = {}
    for encoding in machine.encodings:
        if is_of_floats(encoding):
            chosen.setdefault(kind_of(encoding), encoding)
            if encoding.format.second_mnemonic:
                chosen.setdefault(("dual Y", encoding.format.second_mnemonic), encoding)
    return list(chosen.values())


@cache
def kinds_of(target: str, wave_size: int) -> frozenset[object]:
    return frozenset(map(kind_of, encodings_of(decoder(target, wave_size))))


def _register(kind: OperandKind, number: int) -> int:
    """The field that is a register, a VGPR if it may be one."""
    for field in (256 + number, number, 128 + number):
        value = kind.value(field)
        if isinstance(value, Register) and value.first == number and kind.takes(value):
            return field
    raise LookupError(number)


def instruction_of(
    rng: Random, machine: Decoder, encoding: Encoding, literal: int, *, has_literal: bool
) -> tuple[bytes, Instruction] | None:
    """The instruction with registers apart; None if it has no literal, or is not of the kind."""
    form, values = encoding.format, {}
    is_mix = "_mix" in encoding.mnemonic
    for name, kind in zip(form.names, form.kinds, strict=True):
        if match := OPERAND.fullmatch(name):
            if has_literal and match[1] == "0" and match[2] != "Y":
                if not isinstance(kind.value(LITERAL), Literal):
                    return None
                values[name] = LITERAL
            else:
                values[name] = _register(kind, SOURCES[match[1] + match[2]])
        elif name in RESULTS:
            values[name] = _register(kind, RESULTS[name])
        elif name.endswith("_modifiers"):
            halves = rng.choice((0, OP_SELECT_HIGH, OP_SELECT_HIGH | OP_SELECT))
            values[name] = halves if is_mix else OP_SELECT_HIGH if "VOP3P" in form.flags else 0
        elif name in CONTROLS:
            values[name] = CONTROLS[name]
        elif name == "imm":
            values[name] = literal
    code = programs.placed(encoding, values).to_bytes(form.size, "little")
    code += literal.to_bytes(4, "little")
    instruction = machine.decode(code + bytes(12))
    if instruction is None or instruction.encoding is not encoding:
        return None
    return code[: instruction.size], instruction


def numbers_of(instruction: Instruction) -> tuple[list[Numbers], list[Numbers], list[str]]:
    """The sources in registers, the results, and the types of literals."""
    sources, results, literals = [], [], []
    for item in bound(instruction):
        operation = item.operation
        name, is_mix = operation.name, "_mix" in operation.name
        declared = [source for source in operation.sources if source.is_operand]
        for source, operand in zip(declared, item.sources, strict=False):
            type = SOURCE_HALVES.get(name, source.type)
            if is_mix and operand.modifiers & OP_SELECT_HIGH:
                type = "high" if operand.modifiers & OP_SELECT else "f16"
            if source.name == "imm32":
                literals.append(operation.results[0].type)
            elif isinstance(operand.value, Literal):
                literals.append(type)
            elif operand.register is not None:
                sources.append(Numbers(operand.register, type))
        declared = [result for result in operation.results if result.type and not result.is_memory]
        for result, operand in zip(declared, item.results, strict=False):
            if operand.register is not None and result.type != "mask":
                results.append(Numbers(operand.register, HALVES.get(name, result.type)))
                if re.search(r"\bd\b", operation.expression):
                    sources.append(Numbers(operand.register, result.type))
    return sources, results, literals


def _is_float(numbers: Numbers) -> bool:
    return bool(re.fullmatch(r"(v2)?f\d+|high", numbers.type))


def flushed_literal(literal: int, type: str) -> int:
    """A literal that is flushed as what it is: of an f64, the high half."""
    if type == "f64":
        return int(flushed(np.uint64(literal << 32), 64)) >> 32
    numbers = Numbers(Register("v", 0, 1), type)
    return int(numbers.changed(np.uint64(literal), flushed)) if _is_float(numbers) else literal


def ran(
    instruction: Instruction, code: bytes, seed: int, denormals: int, sources: list[Numbers],
    changed: list[Numbers], executor: Any,
) -> fuzz_instructions.RunningMachine:  # fmt: skip
    """A machine after the instruction; `changed` sources are flushed before it."""
    target = instruction.encoding.format.target
    machine = fuzz_instructions.machine_of(code, 5, target.processor, target.wave_size)
    machine.executor = executor
    rng = np.random.default_rng(seed)
    for wave in machine.waves:
        wave.set_mode(0x300 | denormals << 4)
        wave.set_exec((1 << target.wave_size) - 1)
        for source in sources:
            if _is_float(source):
                source.change(wave, lambda old, bits: rng.choice(NUMBERS[bits], old.shape))
            else:
                source.change(wave, lambda old, _: rng.choice(INTEGERS, old.shape))
        for source in changed:
            source.change(wave, flushed)
    stopped = machine.run(None)
    assert stopped is None, stopped
    return machine


def difference(rng: Random, machine: Decoder, encoding: Encoding, executor: str) -> str | None:
    """What is against the law; None where nothing is, or the instruction is not simulated."""
    denormals, generation = MODES[executor], machine.target.generation
    for has_literal in (False, True):
        literal = int(rng.choice(NUMBERS[32])) & 0xFFFF0000 | int(rng.choice(NUMBERS[16]))
        state = rng.getstate()
        built = instruction_of(rng, machine, encoding, literal, has_literal=has_literal)
        if built is None or why_not_simulated(built[1]):
            continue
        code, instruction = built
        sources, results, literals = numbers_of(instruction)
        if len(set(literals)) > 1:
            continue  # of two halves, which would flush it by hand each in its way
        name = operations_of(encoding)[0].name
        is_kept = bool(KEEP_ON_GFX8.match(name)) and generation == 8
        flushes_sources = not denormals & 5 and not is_kept and not KEEP_SOURCES.match(name)
        flushes_results = not denormals & 10 and not is_kept and not KEEP_RESULTS.match(name)
        other = code
        if flushes_sources and literals:
            new = flushed_literal(literal, literals[0])
            rng.setstate(state)
            changed = instruction_of(rng, machine, encoding, new, has_literal=has_literal)
            assert changed is not None
            other, _ = changed
        seed = rng.getrandbits(30)
        floats = [item for item in sources if _is_float(item)] if flushes_sources else []
        one = ran(instruction, code, seed, denormals, sources, [], executor)
        two = ran(instruction, other, seed, ON, sources, floats, "precise")
        text = f"{instruction.text.strip()} with FP_DENORM {denormals:#x}"
        for got, expected in zip(one.waves, two.waves, strict=True):
            for result in results:
                if flushes_results and _is_float(result):
                    result.change(expected, flushed)
                is_other = result.read(got) != result.read(expected)
                if is_other.any():
                    values = (hex(result.read(wave)[is_other][0]) for wave in (got, expected))
                    return f"{text}: {', not '.join(values)}"
            if (got.vcc, got.scc, got.s[60:62]) != (expected.vcc, expected.scc, expected.s[60:62]):
                return f"{text}: another mask"
    return None


def differences(target: str, wave_size: int) -> Iterator[str]:
    """What is against the law, of all operations; of DPP, SDWA and dual instructions, and of what
    an earlier target has, of a share."""
    machine, rng = decoder(target, wave_size), Random(target)
    earlier = TARGETS[: TARGETS.index((target, wave_size))]
    tried = frozenset[object]().union(*(kinds_of(*one) for one in earlier))
    for encoding in encodings_of(machine):
        is_plain = not (encoding.format.flags & {"DPP", "SDWA"} or encoding.format.second_mnemonic)
        is_plain = is_plain and kind_of(encoding) not in tried
        executors = [
            executor for executor in MODES if executor == "lockstep" or not rng.randrange(4)
        ]
        if SHARE == 1:
            executors = list(MODES)
        elif not is_plain and rng.randrange(8):
            continue
        for executor in executors:
            if line := difference(rng, machine, encoding, executor):
                yield line


@pytest.mark.parametrize(("target", "wave_size"), TARGETS)
def test_flushed_sources_and_results(target: str, wave_size: int) -> None:
    assert list(differences(target, wave_size)) == []


@pytest.mark.parametrize(("target", "wave_size"), TARGETS)
def test_where_halves_are_is_known(target: str, wave_size: int) -> None:
    """An f16 that no type says is one that the law would not see."""
    for encoding in filter(is_of_floats, decoder(target, wave_size).encodings):
        for operation in operations_of(encoding):
            if "f16" in operation.name.replace("bf16", ""):
                has_type = any(re.search(r"(?<!b)f16", type) for type in types_of(operation))
                name = operation.name
                assert has_type or name in HALVES or name in SOURCE_HALVES or "_mix_" in name, name
