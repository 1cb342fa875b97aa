"""Find an architecture by name; its tables are made on first use."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from dwarfgpu.arch.processors import PROCESSORS
from dwarfgpu.base.suggest import nearest
from dwarfgpu.errors import UsageError

if TYPE_CHECKING:
    from dwarfgpu.arch.model import Architecture

_OTHER_NAMES: Final = {
    "amd64": "x86_64",
    "x86-64": "x86_64",
    "arm64": "aarch64",
    "i686": "i386",
}
_CPUS: Final = ("aarch64", "aarch64_be", "i386", "x86_64")
_TYPICAL_GPUS: Final = (("gfx90a", 64), ("gfx1010", 32), ("gfx1200", 64), ("gfx1250", 32))
"""Together they have every register that an AMD GPU has."""
_NVIDIA_NAME: Final = re.compile(r"sm_\d{2,3}[a-z]?")
"""A compute capability times ten, with `a` for code of only that GPU."""
_NVIDIA: Final = tuple(
    f"sm_{number}"
    for number in (
        "50", "52", "53", "60", "61", "62", "70", "72", "75", "80", "86", "87", "88", "89", "90",
        "90a", "100", "100a", "103", "103a", "110", "110a", "120", "120a", "121", "121a",
    )
)  # fmt: skip
"""Those that ptxas 12.9 and 13.5 compile for."""
ARCHITECTURES: Final = (*PROCESSORS, *_CPUS, *_NVIDIA)
"""Every name that `architecture` accepts, without alternative spellings."""


def architecture(name: str, wave_size: int | None = None) -> Architecture:
    """Return the architecture with a name in any letter case; its tables are made on first use.

    Raises `UsageError` for an unknown name, suggesting similar ones, and for a wave size that the
    architecture does not have.
    """
    target = _OTHER_NAMES.get(name.lower(), name.lower())
    if target in PROCESSORS:
        from dwarfgpu.arch.amdgpu import amdgpu

        return amdgpu(target, wave_size)
    is_nvidia = _NVIDIA_NAME.fullmatch(target) is not None
    if target not in _CPUS and not is_nvidia:
        raise UsageError(f"unknown architecture {name}{nearest(target, ARCHITECTURES)}")
    if wave_size not in (None, 1):
        raise UsageError(f"{target} has no wave size {wave_size}: it has no waves")
    if is_nvidia:
        from dwarfgpu.arch.nvidia import nvidia

        return nvidia(target)
    return _cpu(target)


def other_wave_size(known: Architecture) -> Architecture | None:
    """Return the same processor with its other wave size; None if it has only one, or no waves."""
    if known.name not in PROCESSORS:
        return None
    from dwarfgpu.arch.processors import processor

    others = [size for size in processor(known.name).wave_sizes if size != known.lane_count]
    return architecture(known.name, others[0]) if others else None


def has_on_another_gpu(name: str) -> bool:
    """Return whether some AMD GPU, in some wave size, has a register of that name or alias."""
    return any(
        gpu.register_named(name) is not None or gpu.part_named(name) is not None
        for gpu in (architecture(*named) for named in _TYPICAL_GPUS)
    )


def _cpu(name: str) -> Architecture:
    # Imported here, as amdgpu above, so that a start pays only for the architecture it uses.
    if name in ("aarch64", "aarch64_be"):
        from dwarfgpu.arch.aarch64 import aarch64

        return aarch64("little" if name == "aarch64" else "big")
    if name == "i386":
        from dwarfgpu.arch.i386 import i386

        return i386()
    from dwarfgpu.arch.x86_64 import x86_64

    return x86_64()
