"""A requested kernel dispatch, checked against the limits of the kernel and the processor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Final

from dwarfgpu.arch.model import NO_APERTURES
from dwarfgpu.arch.processors import Processor
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS
from dwarfgpu.base.records import field, frozen
from dwarfgpu.errors import LimitExceeded, Malformed, Unsupported, UsageError
from dwarfgpu.machine.simulated.launch.dispatch_packet import MAX_WORK_ITEMS
from dwarfgpu.machine.simulated.launch.kernel_arguments import ArgumentValue, Parameter
from dwarfgpu.machine.simulated.storage.undefined_numbers import FILL
from dwarfgpu.machine.topology import Agent, Geometry
from dwarfgpu.objfile.gpu_code import GpuKernel
from dwarfgpu.objfile.kernel_descriptor import KernelDescriptor


@frozen
class DispatchPlacement:
    """Where on a machine a dispatch is: its numbers, and the addresses that are its own."""

    agent: Agent
    is_new_agent: bool = True
    queue: int = 1
    dispatch: int = 1
    workgroup: int = 1
    """Of the first one; the others follow."""
    wave: int = 1
    """Of the first one; the others follow."""
    objects_address: int = 0x7E00_0000_0000
    """Where queue, packets, signals, kernarg segment and buffers begin."""
    scratch_address: int = 0x7D00_0000_0000
    guard_bytes: int = 0
    """Between two objects, where nothing is."""


FIRST_PLACEMENT: Final = DispatchPlacement(
    Agent(1, NO_APERTURES.local_base, NO_APERTURES.private_base)
)
"""For a machine without other dispatches."""


@frozen
class Request:
    """The dispatch to prepare."""

    kernel: GpuKernel
    processor: Processor
    load_address: int
    geometry: Geometry
    parameters: Sequence[Parameter]
    arguments: Mapping[str, ArgumentValue]
    dynamic_lds_bytes: int = 0
    """LDS in addition to that of the kernel and of its arguments."""
    scratch_bytes: int | None = None
    """Scratch of a lane, where it is more than the descriptor says: for a dynamic stack."""
    placement: DispatchPlacement = FIRST_PLACEMENT
    fill: int = FILL
    """The byte of registers and memory that nothing has defined, where it runs."""
    earlier: Mapping[str, int] = field(factory=dict)
    """Addresses of the buffers of earlier dispatches, by their names."""
    most_waves: int = DEFAULT_FILE_LIMITS.waves
    shown_name: str = ""
    """The name of the kernel in messages; empty: that in the file."""

    @property
    def kernel_name(self) -> str:
        return self.shown_name or self.kernel.name

    @property
    def has_no_scratch(self) -> bool:
        """Whether the descriptor sets up none, however much there is."""
        descriptor = self.kernel.descriptor
        return descriptor is not None and not descriptor.fields.get("enable_private_segment")

    @property
    def private_bytes(self) -> int:
        """Scratch of a lane; `UsageError` for less than the kernel needs."""
        descriptor = self.kernel.descriptor
        least = 0 if descriptor is None else descriptor.scratch_bytes
        if self.scratch_bytes is None or self.has_no_scratch:
            return least
        if self.scratch_bytes < least:
            raise UsageError(
                f"--scratch {self.scratch_bytes}: each lane of the kernel has at least "
                f"{least} bytes"
            )
        return self.scratch_bytes


def require_no_clusters(request: Request) -> None:
    """Raise `Unsupported` for a kernel with workgroup clusters: no document has dispatch packets
    with cluster sizes (code object V6, `.cluster_dims`)."""
    metadata = request.kernel.metadata
    dims = None if metadata is None else metadata.cluster_dims
    if dims and any(dims):
        sizes = ",".join(map(str, dims))
        name = request.kernel_name
        raise Unsupported(f"workgroup clusters: kernel {name} is for clusters of {sizes}")


def require_geometry(request: Request, lanes: int) -> None:
    """Raise `UsageError` for a grid or workgroup that the kernel or the processor does not allow,
    `LimitExceeded` for too many waves."""
    geometry, metadata = request.geometry, request.kernel.metadata
    items = prod(geometry.workgroup)
    shown = ",".join(map(str, geometry.workgroup))
    if lanes not in request.processor.wave_sizes:
        raise Malformed(
            f"the descriptor says wave{lanes}, which {request.processor.name} does not have"
        )
    most = MAX_WORK_ITEMS
    if metadata is not None:
        most = min(most, metadata.max_flat_workgroup_size or most)
        required = metadata.required_workgroup_size
        if required and tuple(required) != geometry.workgroup:
            required_size = ",".join(map(str, required))
            raise UsageError(f"--workgroup {shown}: the kernel requires {required_size}")
    if items > most:
        raise UsageError(f"--workgroup {shown}: {items} work-items; the kernel allows {most}")
    for axis, size, part in zip("xyz", geometry.grid, geometry.workgroup, strict=True):
        if size >= 1 << 32 or part >= 1 << 16:
            raise UsageError(f"the {axis} size {max(size, part)} does not fit the dispatch packet")
        is_uniform = metadata is not None and bool(metadata.uniform_work_group_size)
        if size % part and is_uniform:
            raise UsageError(
                f"--grid counts work-items: {size} in {axis} is not a multiple of the "
                f"workgroup's {part} ({-(-size // part) * part} would be); the kernel was compiled "
                "for whole workgroups (uniform_work_group_size)"
            )
    count = prod(geometry.counts) * -(-items // lanes)
    if count > request.most_waves:
        raise LimitExceeded(
            f"{count} waves: at most {request.most_waves} are simulated", "--max-waves"
        )


def require_lds(processor: Processor, group_bytes: int) -> None:
    """Raise `UsageError` for more LDS than a workgroup of a processor has."""
    most = processor.most_lds_bytes
    if group_bytes > most:
        name = processor.name
        raise UsageError(f"{group_bytes} bytes of LDS: a workgroup of {name} has at most {most}")


def require_scratch(processor: Processor, lanes: int, lane_bytes: int) -> None:
    """Raise `UsageError` for more scratch than the lanes of a wave of a processor have."""
    granules = -(-lane_bytes * lanes // processor.scratch_granule_bytes)
    if granules > processor.most_scratch_granules:
        most = processor.most_scratch_bytes // lanes
        needed = f"{lane_bytes} bytes of scratch a lane"
        raise UsageError(f"{needed}: {processor.name} has at most {most}")


def wave_scratch_bytes(request: Request, lanes: int) -> int:
    """Return the scratch size of a wave, in granules of the processor; `UsageError` for more than
    it has."""
    granule = request.processor.scratch_granule_bytes
    require_scratch(request.processor, lanes, request.private_bytes)
    return -(-request.private_bytes * lanes // granule) * granule


def element_bytes(descriptor: KernelDescriptor) -> int:
    """Return the interleave of scratch: V2 encodes it, later it is 4 ("Scratch memory
    swizzling")."""
    return 2 << descriptor.fields["private_element_size"] if descriptor.version == 2 else 4
