"""The note about accesses for which the order of waves may matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.service.run.barrier_waits import source_of

if TYPE_CHECKING:  # it imports NumPy
    from dwarfgpu.machine.simulated.execution.access_stamps import Unordered


def order_note(accesses: Unordered, code_object: CodeObject) -> str:
    """Return who accesses what, and where."""
    where = ""
    if accesses.pc is not None:
        where = f" at {source_of([code_object], accesses.pc) or f'{accesses.pc:#x}'}"
    verb = "writes" if accesses.is_written else "reads"
    what = f"wave {accesses.wave} {verb} {accesses.space}#{accesses.address:#x}"
    who = "another wave" if accesses.other is None else f"wave {accesses.other}"
    other = f"{who} {'writes' if accesses.is_written_by_other else 'reads'} it"
    return (
        f"the result may depend on the order of the waves: {what}{where}, and {other}, "
        "without a barrier between them; --seed N runs them in another order"
    )
