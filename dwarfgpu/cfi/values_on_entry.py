"""What a call frame remembers of values on entry to it (`dwarfgpu.session.entry_values`)."""

from __future__ import annotations

from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.model.location import Location
from dwarfgpu.model.value import Value


@frozen
class OnEntry:
    """What the call that made a frame passed."""

    value: Value | DwarfGpuError | None
    """None if the call does not describe it."""
    preserved_by_callees: dict[int, Location]
    """Registers of outer frames that callees preserved (`dwarfgpu.session.ipa_ra`)."""
