"""What a call frame remembers of values on entry to it (`dwarfgpu.entry_values`)."""

from __future__ import annotations

from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.model.location import Location
from dwarfgpu.model.value import Value
from dwarfgpu.nouns import frozen


@frozen
class OnEntry:
    """What the call that made a frame passed."""

    value: Value | DwarfGpuError | None
    """None where the call does not describe it."""
    left_alone: dict[int, Location]
    """Registers of outer frames that were found in frames further in (`dwarfgpu.left_alone`)."""
