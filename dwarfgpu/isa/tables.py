"""The instruction encodings of AMD GPUs in `data/`, for one processor and wave size.

A new AMD GPU is a row in `dwarfgpu/arch/processors.py` and a `target` line in `data/`, which
`tools/gen_isa.py` writes. A disassembler for another machine is a module like
`dwarfgpu/service/code/host_code.py`.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

from dwarfgpu.arch.processors import processor
from dwarfgpu.errors import Unsupported
from dwarfgpu.isa.formats import Format
from dwarfgpu.isa.instruction import Encoding
from dwarfgpu.isa.isa_target import IsaTarget
from dwarfgpu.isa.operands import OperandKind

GENERATIONS: Final = (8, 9, 10, 11, 12)
"""The generations with tables; LLVM does not disassemble earlier ones."""
_MORE: Final = {9: ("gfx950",), 11: ("true16",), 12: ("true16",)}
"""Files with instructions that LLVM 19 does not know, but not all of them."""
_INCOMPLETE: Final = ("gfx11", "gfx12", "gfx950")
"""Beginnings of the names of processors whose instructions are not all in these files: later
compilers have more, `v_dual_dot2acc_f32_bf16` of GFX11 or `s_alloc_vgpr` of GFX12."""


@cache
def table_lines(generation: int, *, as_llvm_19: bool = False) -> tuple[str, ...]:
    """Return the lines of the files of a generation, or of that which LLVM 19 knows;
    `Unsupported` where there is none."""
    if generation not in GENERATIONS:
        raise Unsupported(f"instructions of GFX{generation} are unknown; known: GFX8 to GFX12")
    folder = files("dwarfgpu.isa") / "data"
    names = [f"gfx{generation}", *(() if as_llvm_19 else _MORE.get(generation, ()))]
    texts = [(folder / f"{name}.txt").read_text(encoding="utf-8") for name in names]
    return tuple(line for text in texts for line in text.split("\n"))


@cache
def targets(generation: int) -> tuple[IsaTarget, ...]:
    """Return the processors of one file with their wave sizes."""
    out = []
    for line in table_lines(generation):
        if line.startswith("target "):
            _, name, wave, *features = line.split()
            out.append(IsaTarget(name, int(wave), generation, frozenset(features)))
    return tuple(out)


def isa_target(name: str, wave_size: int | None = None) -> IsaTarget:
    """Return the target for a processor's name; wave32 by default if it has both wave sizes.

    `UsageError` for an unknown name, `Unsupported` for a processor without tables or a wave size
    that it has not.
    """
    amd_processor = processor(name)
    targets_ = [
        item for item in targets(amd_processor.generation) if item.processor == amd_processor.name
    ]
    if not targets_:
        raise Unsupported(f"instructions of {name} are unknown")
    for target in targets_:
        if wave_size in (None, target.wave_size):
            return target
    raise Unsupported(f"{name} has no wave{wave_size}")


def is_complete(target: IsaTarget) -> bool:
    """Return whether the tables have all instructions of a processor."""
    return not target.processor.startswith(_INCOMPLETE)


def lacking(processor: str) -> str:
    """Return what is said of an instruction that the tables of a processor lack."""
    return f"unknown to dwarfgpu, whose table of {processor} is incomplete"


@cache
def encodings(target: IsaTarget, *, as_llvm_19: bool = False) -> tuple[Encoding, ...]:
    """Return all encodings of a target; `as_llvm_19` as for `dwarfgpu.isa.decode.Decoder`."""
    target_index = targets(target.generation).index(target)
    kinds: dict[str, OperandKind] = {}
    sets: list[bool] = []
    out: list[Encoding] = []
    missing: set[str] = set()
    form: Format | None = None
    line_of_format = ""
    mask = 0
    for line in table_lines(target.generation, as_llvm_19=as_llvm_19):
        word, _, rest = line.partition(" ")
        if word.startswith("format\t"):
            line_of_format, form = line[7:], None
        elif word == "mask":
            mask = int(rest, 16)
        elif word == "kind":
            kinds[rest.partition(" ")[0]] = OperandKind(rest, target, as_llvm_19=as_llvm_19)
        elif word == "set":
            sets.append(bool(int(rest.split()[1], 16) >> target_index & 1))
        elif rest and word not in ("#", "target"):
            mnemonic, _, number = rest.partition(" ")
            if number and not sets[int(number)]:
                continue
            if word == "without":
                missing.add(mnemonic)
                continue
            if form is None:
                form = Format(line_of_format, kinds, target)
            out.append(Encoding(mnemonic, mask, int(word, 16), form))
    return tuple(item for item in out if item.mnemonic not in missing)
