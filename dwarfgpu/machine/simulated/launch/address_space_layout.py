"""Find free address space for a code object on a machine.

Law: loaded code objects overlap nothing that a dispatch makes or a state contains.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from dwarfgpu.arch.model import APERTURE_BYTES
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import UsageError, shown
from dwarfgpu.machine.simulated.launch.dispatch import Launched
from dwarfgpu.machine.state.loaded_state import State
from dwarfgpu.machine.topology import Agent


@frozen
class Extent:
    """A range of global memory, and its purpose."""

    what: str
    start: int
    end: int
    """Behind the last byte."""


def require_room(
    load_address: int, alignment: int, loaded: Sequence[Extent], extents: Iterable[Extent]
) -> None:
    """Raise `UsageError` if a code object cannot be loaded at an address.

    Its segments are at their addresses in the file and this one, which keeps them aligned (System V
    ABI, "Base Address").
    """
    if load_address % alignment:
        raise UsageError(
            f"--load-address {shown_address(load_address)}: the code object is loaded at a "
            f"multiple of {alignment:#x}"
        )
    occupied = [extent for extent in extents if extent.start < extent.end]
    for part in loaded:
        if part.end > 1 << 64:
            raise UsageError(f"--load-address {shown_address(load_address)}: {_after(part)}")
        for extent in occupied:
            if part.start < extent.end and extent.start < part.end:
                raise UsageError(
                    f"--load-address {load_address:#x}: the {part.what} at [{part.start:#x},"
                    f"{part.end:#x}) and {extent.what}, [{extent.start:#x},"
                    f"{extent.end:#x}), overlap"
                )


def shown_address(address: int) -> str:
    """Return an address in hexadecimal; a huge one by its size."""
    return f"{address:#x}" if address < 1 << 64 else shown(address)


def _after(part: Extent) -> str:
    return f"the {part.what} would end beyond the 64-bit address space"


def extents_of_dispatch(launched: Launched) -> Iterator[Extent]:
    """Yield the global memory of a dispatch, and what its agent makes unreachable."""
    placement = launched.request.placement
    yield Extent("the memory of the dispatch", placement.objects_address, launched.objects_end)
    scratch = sum(wave.scratch_bytes for wave in launched.waves)
    yield Extent(
        "the scratch of the dispatch",
        placement.scratch_address,
        placement.scratch_address + scratch,
    )
    yield from _apertures(placement.agent)


def extents_of_state(state: State) -> Iterator[Extent]:
    """Yield the global memory of a state, except code objects, and its agents' apertures."""
    for name, _, store in state.target.memories():
        for start, data in () if name else store.runs():
            yield Extent("the memory of the state", start, start + len(data))
    for wave in state.waves:
        scratch = state.target.apertures_of(wave.wave)
        if scratch.scratch_base is not None:
            end = scratch.scratch_base + (scratch.scratch_bytes or 0)
            yield Extent(f"the scratch of wave {wave.wave}", scratch.scratch_base, end)
    for agent in state.machine.agents.values():
        yield from _apertures(agent)


def _apertures(agent: Agent) -> Iterator[Extent]:
    for memory, base in (("LDS", agent.local_base), ("scratch", agent.private_base)):
        yield Extent(f"the aperture of {memory}", base, base + APERTURE_BYTES)
