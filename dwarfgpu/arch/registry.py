"""Find an architecture by name, or the ABI of an ELF machine; tables are made on first use."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

from dwarfgpu.arch.abi import NO_ABI
from dwarfgpu.arch.processors import PROCESSORS
from dwarfgpu.base.argument_types import names_wrong_arguments
from dwarfgpu.base.arguments import WrongValue
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.suggest import followed, nearest
from dwarfgpu.errors import LONGEST_NAME, shortened

if TYPE_CHECKING:
    from dwarfgpu.arch.abi import Abi
    from dwarfgpu.arch.model import Architecture

_MODULES: Final = {
    3: ("386", "i386"),
    62: ("X86_64", "x86_64"),
    183: ("AARCH64", "aarch64"),
    190: ("CUDA", "nvidia"),
    224: ("AMDGPU", "amdgpu"),
}
"""`e_machine` of ELF headers to its name without `EM_`, and the module of this folder about it."""
MACHINES: Final = {number: name for number, (name, _) in _MODULES.items()}
"""`e_machine` to the name in `Architecture.machine`."""
_MACHINES_WITHOUT_REGISTERS: Final = {
    2: "SPARC", 4: "68K", 8: "MIPS", 15: "PARISC", 18: "SPARC32PLUS", 20: "PPC", 21: "PPC64",
    22: "S390", 40: "ARM", 42: "SH", 43: "SPARCV9", 50: "IA_64", 83: "AVR", 93: "ARC_COMPACT",
    94: "XTENSA", 105: "MSP430", 164: "HEXAGON", 189: "MICROBLAZE", 195: "ARC_COMPACT2",
    243: "RISCV", 247: "BPF", 252: "CSKY", 258: "LOONGARCH", 0x9026: "ALPHA",
}  # fmt: skip
"""The same for machines that are no `Architecture` (System V ABI, "ELF Header"; EM_ALPHA: as GNU
tools write it)."""
_UNNAMED: Final = "machine "
"""Before the number of any other."""
GPUS: Final = frozenset({"AMDGPU", "CUDA"})
"""The names of the GPUs among these."""
CPUS: Final[dict[str, tuple[str, Endian]]] = {
    "aarch64": ("AARCH64", "little"),
    "aarch64_be": ("AARCH64", "big"),
    "i386": ("386", "little"),
    "x86_64": ("X86_64", "little"),
}
"""CPUs by name: the ELF machine and the byte order of data."""
_OTHER_NAMES: Final = {
    "amd64": "x86_64",
    "x86-64": "x86_64",
    "arm64": "aarch64",
    "i686": "i386",
    "i386:x86-64": "x86_64",  # BFD's and GDB's
}
_NAMES_IN_GDB: Final = {"x86_64": "i386:x86-64", "aarch64_be": "aarch64"}
_TYPICAL_GPUS: Final = (("gfx90a", 64), ("gfx1010", 32), ("gfx1200", 64), ("gfx1250", 32))
"""Together they have every register that an AMD GPU has."""
_NVIDIA_NAME: Final = pattern(r"sm_[0-9]{2,3}[a-z]?")
"""A compute capability times ten, with `a` for code of only that GPU."""
_NVIDIA: Final = tuple(
    f"sm_{number}"
    for number in (
        "50", "52", "53", "60", "61", "62", "70", "72", "75", "80", "86", "87", "88", "89", "90",
        "90a", "100", "100a", "103", "103a", "110", "110a", "120", "120a", "121", "121a",
    )
)  # fmt: skip
"""Those that ptxas 12.9 and 13.5 compile for."""
_MOST_LISTED: Final = 16
"""GPUs in the advice on an unknown name."""
ARCHITECTURES: Final = (*PROCESSORS, *CPUS, *_NVIDIA)
"""Every name that `architecture` accepts, without alternative spellings."""


def _advice(target: str) -> str:
    """Return the names that begin as an unknown one; else those near it, and those of the same
    generation of GPUs."""
    processor, colon, _ = target.partition(":")
    if colon and processor in PROCESSORS:
        return f": give {processor}, without features"
    beginning = [
        known for known in ARCHITECTURES if known.startswith(target) and "generic" not in known
    ]
    if target and len(beginning) > 1:
        is_short = len(beginning) <= _MOST_LISTED
        listed = ", ".join(beginning) if is_short else _first_to_last(beginning)
        return f"; did you mean one of {listed}?"
    generation = target[:-2] if len(target) > 5 else "gfx"
    known = [
        name for name in PROCESSORS if target.startswith("gfx") and name.startswith(generation)
    ]
    label = f"known beginning with {generation}"
    if not known or len(known) > _MOST_LISTED:
        label = "known"
        numbered = [name for name in PROCESSORS if "generic" not in name]
        known = [_first_to_last(numbered), _first_to_last(_NVIDIA), *CPUS]
    return followed(nearest(target, ARCHITECTURES), f"{label}: {', '.join(known)}")


def _first_to_last(names: Sequence[str]) -> str:
    return f"{names[0]} to {names[-1]}"


@names_wrong_arguments
def architecture(name: str, wave_size: int | None = None) -> Architecture:
    """Return the architecture with a name in any letter case; its tables are made on first use.

    Raises `WrongValue` for an unknown name, suggesting similar ones, and for a wave size that the
    architecture does not have.
    """
    target = _OTHER_NAMES.get(name.lower(), name.lower())
    if target in PROCESSORS:
        from dwarfgpu.arch.amdgpu import amdgpu

        return amdgpu(target, wave_size)
    is_nvidia = _NVIDIA_NAME.fullmatch(target) is not None
    if target not in CPUS and not is_nvidia:
        shown = shortened(name, LONGEST_NAME) if name.strip() else repr(name)
        raise WrongValue(f"unknown architecture {shown}{_advice(target)}")
    if wave_size not in (None, 1):
        raise WrongValue(f"{target} has no wave size {wave_size}: it has no waves")
    if is_nvidia:
        from dwarfgpu.arch.nvidia import nvidia

        return nvidia(target)
    return _cpu(target)


def name_in_gdb(architecture: Architecture) -> str:
    """Return the name of an architecture in GDB, which has BFD's: `i386:x86-64`."""
    name = architecture.name
    if name in PROCESSORS:
        return f"amdgcn:{name}"
    return _NAMES_IN_GDB.get(name, name)


def machine_name(number: int) -> str:
    """Return the name of an `e_machine`, without `EM_`; of an unknown one, its number."""
    name = MACHINES.get(number) or _MACHINES_WITHOUT_REGISTERS.get(number)
    return name or f"{_UNNAMED}{number}"


@cache
def abi_of(machine: str) -> Abi:
    """Return the ABI of files of an ELF machine; `NO_ABI` of one that is not known."""
    for name, module in _MODULES.values():
        if name == machine:
            abi: Abi = import_module(f"dwarfgpu.arch.{module}").ABI
            return abi
    from dwarfgpu.arch.other_machines import OTHER_MACHINES  # few files need it

    numbers = (number for number in OTHER_MACHINES if machine_name(number) == machine)
    return OTHER_MACHINES.get(next(numbers, 0), NO_ABI)


def cpu_of(machine: str, endian: Endian) -> Architecture | None:
    """Return the CPU of files of an ELF machine with that byte order; None if there is none."""
    names = (name for name, item in CPUS.items() if item == (machine, endian))
    name = next(names, None)
    return None if name is None else _cpu(name)


def other_wave_size(arch: Architecture) -> Architecture | None:
    """Return the same processor with its other wave size; None if it has only one, or no waves."""
    if arch.name not in PROCESSORS:
        return None
    from dwarfgpu.arch.processors import processor

    wave_sizes = [size for size in processor(arch.name).wave_sizes if size != arch.lane_count]
    return architecture(arch.name, wave_sizes[0]) if wave_sizes else None


def with_lanes(name: str, count: int | None) -> Architecture:
    """Return the architecture with a name: of two wave sizes, the greater for a wave of more lanes
    than the default one has."""
    default = architecture(name)
    if count is None or count <= default.lane_count:
        return default
    other = other_wave_size(default)
    return default if other is None or other.lane_count < default.lane_count else other


def has_on_another_gpu(name: str) -> bool:
    """Return whether some AMD GPU, in some wave size, has a register of that name or alias."""
    return any(
        gpu.register_named(name) is not None or gpu.part_named(name) is not None
        for gpu in (architecture(*named) for named in _TYPICAL_GPUS)
    )


def _cpu(name: str) -> Architecture:
    # Imported here, as amdgpu above, so that a start pays only for the architecture it uses.
    machine, endian = CPUS[name]
    [module] = (module for machine_name, module in _MODULES.values() if machine_name == machine)
    architecture_: Architecture = import_module(f"dwarfgpu.arch.{module}").architecture(endian)
    return architecture_
