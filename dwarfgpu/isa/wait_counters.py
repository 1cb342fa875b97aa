"""The counters that an instruction increments until its memory access is done.

`s_waitcnt` and its successors wait for them: AMD's ISA documents, "Manually Inserted Wait States"
and "Data Dependency Resolution"; LLVM's AMDGPUUsage, "Memory Model". GFX8 and GFX9 count vector
stores with loads, GFX10 separately (VScnt), GFX12 has a counter for each kind of access.
"""

from __future__ import annotations

import re

from dwarfgpu.isa.binding import Use, uses
from dwarfgpu.isa.instruction import Instruction
from dwarfgpu.isa.named_numbers import wait_counts

_VECTOR_MEMORY = frozenset({"MUBUF", "MTBUF", "MIMG", "VIMAGE", "VSAMPLE", "FLAT"})
_WRITE_BACK = frozenset({"buffer_wbl2", "global_wb", "global_wbinv"})
_COUNTED_IN_SCALAR = frozenset({"s_get_barrier_state"})


def wait_counters(instruction: Instruction, use: Use | None = None) -> tuple[str, ...]:
    """Return their names in `s_waitcnt`, or in the instruction `s_wait_…` of GFX12, without `cnt`:
    `vm`, `vs`, `lgkm`, `exp`; `load`, `store`, `sample`, `bvh`, `ds`, `km`, `exp`."""
    form = instruction.encoding.format
    flags, generation = form.flags, form.target.generation
    use = use or uses(instruction)[0]
    operation = use.operation
    is_new = generation >= 12
    local, scalar = ("ds", "km") if is_new else ("lgkm", "lgkm")
    if "EXP" in flags or "LDSDIR" in flags:
        return ("exp",)
    if "DS" in flags:
        is_gds = any(declared.name == "gds" for declared in operation.memory) or is_set(
            instruction, "gds"
        )
        return (local, "exp") if is_gds else (local,) if operation.name != "ds_nop" else ()
    if "SMRD" in flags:
        return (scalar,) if use.results or operation.memory else ()
    if "message" in operation.flags or operation.name in _COUNTED_IN_SCALAR:
        return (scalar,)
    if not flags & _VECTOR_MEMORY:
        return ()
    counter = _vector_counter(generation, flags, use)
    if not counter:
        return ()
    is_flat = any(declared.name == "flat" for declared in operation.memory)
    return (counter, local) if is_flat else (counter,)


def _vector_counter(generation: int, flags: frozenset[str], use: Use) -> str:
    operation = use.operation
    is_store = operation.is_store and not any(
        operand.declared.type and not operand.declared.is_memory for operand in use.results
    )
    is_store = is_store and not any(declared.name == "lds" for declared in operation.memory)
    if "cache" in operation.flags:
        if operation.name in _WRITE_BACK:
            is_store = True
        elif generation < 12:
            return ""
    if generation < 10:
        return "vm"
    if generation < 12:
        return "vs" if is_store else "vm"
    if is_store:
        return "store"
    if operation.name.startswith("image_bvh"):
        return "bvh"
    return "sample" if "VSAMPLE" in flags else "load"


def finished_counters(instruction: Instruction) -> frozenset[str]:
    """Return the counters that an instruction waits for to be 0: no access that counts in one of
    them is pending. Names are those of `wait_counters`."""
    form = instruction.encoding.format
    name = instruction.mnemonic
    if not name.startswith("s_wait") or "simm16" not in form.index:
        return frozenset()
    count = form.fields[form.index["simm16"]].of(instruction.word)
    if name == "s_waitcnt":
        counts = wait_counts(count, form.target.generation)
        return frozenset(counter.removesuffix("cnt") for counter, value, _ in counts if not value)
    words = name.removeprefix("s_waitcnt").removeprefix("s_wait")
    counters = re.findall(r"_([a-z]+)cnt(?=_|$)", words)
    if not counters:  # `s_wait_event` and others are not about memory
        return frozenset()
    values = [count >> 8 & 0x3F, count & 0x3F] if len(counters) > 1 else [count]
    return frozenset(counter for counter, value in zip(counters, values, strict=True) if not value)


def is_set(instruction: Instruction, name: str) -> bool:
    """Return whether a bit of the instruction is set."""
    form = instruction.encoding.format
    if name not in form.index:
        return False
    index = form.index[name]
    return form.fields[index].of(instruction.word) != 0
