"""Set up a kernel dispatch: its packet, arguments and memory, and its waves with their registers,
just before their first instruction.

Law: everything known follows from the code object, the arguments, the geometry, and the addresses
chosen below; the rest is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import prod
from typing import Final, TypeAlias

from dwarfgpu.base.records import Factory, evolve, field, frozen
from dwarfgpu.errors import IllFormed, LimitExceeded, Malformed, UsageError, shown
from dwarfgpu.machine.simulated.launch import dispatch_packet, initial_registers, kernarg
from dwarfgpu.machine.simulated.launch.dispatch_request import (
    FIRST_PLACEMENT,
    DispatchPlacement,
    Request,
    element_bytes,
    require_geometry,
    require_lds,
    require_no_clusters,
    wave_scratch_bytes,
)
from dwarfgpu.machine.simulated.launch.kernarg import HiddenValues, Kernarg
from dwarfgpu.machine.simulated.launch.kernel_arguments import Buffer, Parameter
from dwarfgpu.machine.topology import Agent, Dispatch, Machine, Queue, Wave, Workgroup
from dwarfgpu.objfile.kernel_descriptor import ENTRY_ALIGNMENT, KernelDescriptor

LOAD_ADDRESS: Final = 0x7F00_0000_0000
"""Default load address of the code object."""
_PRELOADED: Final = "kernarg_preload"
"""The field of the user SGPRs with arguments."""
PACKET_COUNT: Final = 64
_PAGE_BYTES: Final = 4096
_SCRATCH_STEP: Final = 1 << 34
"""Between the scratch of two dispatches."""
KERNARG_ALIGNMENT: Final = 64
"""The least alignment of the address, and that of the size, of a kernarg segment, in bytes."""
_ALIGNMENTS: Final = frozenset(1 << power for power in range(17))
"""What the metadata of a kernel may ask for: larger ones than a page of 64 KiB waste addresses."""

Contents: TypeAlias = int | str
"""Contents of a scalar register: a number, or its bytes in hexadecimal with `??` for unknown
ones."""


@frozen
class WaveRegisters:
    """The known registers of a wave."""

    wave: Wave
    scratch_address: int | None
    """The address of its scratch, in global memory."""
    scratch_bytes: int
    element_bytes: int
    """The size in bytes of the interleave of its scratch."""
    scalars: Mapping[str, Contents]
    vectors: Mapping[str, Sequence[int]]
    """Values of the first lanes: those with a work-item."""


@frozen
class Launched:
    """A dispatch."""

    request: Request
    machine: Machine
    pc: int
    waves: tuple[WaveRegisters, ...]
    memory: dispatch_packet.Pieces
    """The known global memory, except code objects and buffers."""
    kernarg: Kernarg
    user_sgprs: tuple[initial_registers.Sgpr, ...]
    group_bytes: int
    objects_end: int
    """Behind the last byte of queue, packets, signals, kernarg segment and buffers."""
    notes: tuple[str, ...] = field(default=Factory(tuple))

    @property
    def kernarg_bytes(self) -> int:
        """How much of the kernarg segment a kernel may read: compilers widen loads of arguments as
        far as its alignment allows."""
        size_bytes = self.request.kernel.kernarg_bytes or 0
        return -(-size_bytes // KERNARG_ALIGNMENT) * KERNARG_ALIGNMENT

    @property
    def note_on_hidden(self) -> str | None:
        """Which hidden arguments are not known; None where all are."""
        kinds = [kind for _, kind in self.kernarg.absent]
        if not kinds:
            return None
        return f"unknown, because only a runtime creates them: {', '.join(kinds)}"


@frozen
class _Addresses:
    """Where the objects of a dispatch are, one after the other."""

    queue: int
    packets: int
    doorbell: int
    completion: int
    kernarg: int


@frozen
class NamedBuffer:
    """A buffer that a dispatch has made."""

    address: int
    parameter: Parameter
    """For which it was made."""
    buffer: Buffer
    """What the user gave for it."""
    dispatch: int
    """The number of the dispatch that made it, from 1."""


def named_buffers(launches: Iterable[Launched]) -> dict[str, NamedBuffer]:
    """Return the buffers of the dispatches of a run, named after their arguments; if an earlier one
    has the name `out`, that of the second dispatch is `out.2`."""
    out: dict[str, NamedBuffer] = {}
    for number, launched in enumerate(launches, 1):
        parameters = {parameter.title: parameter for parameter in launched.request.parameters}
        for address, buffer, name in launched.kernarg.buffers:
            unique = f"{name}.{number}" if name in out else name
            out[unique] = NamedBuffer(address, parameters[name], buffer, number)
    return out


def name_of_buffer(buffers: Mapping[str, NamedBuffer], name: str) -> str:
    """Return the name of a buffer that is given by the number of its argument, as `1`, or `1.2` in
    the second dispatch; any other name as it is."""
    argument, _, dispatch = name.partition(".")
    for own_name, buffer in () if name in buffers else buffers.items():
        if str(buffer.parameter.number) == argument and dispatch in ("", str(buffer.dispatch)):
            return own_name
    return name


def require_contents(launched: Launched) -> None:
    """Raise `UsageError` for a buffer without contents, which a kernel cannot read."""
    for _, buffer, name in launched.kernarg.buffers:
        if buffer.data is None:
            raise UsageError(
                f"{name}: its contents are unknown; set them with zeros:SIZE, range:COUNT or @FILE"
            )


def next_placement(launches: Sequence[Launched]) -> DispatchPlacement:
    """Return where a further dispatch of the same run is: it has a queue of its own."""
    last, count = launches[-1], len(launches)
    placement = last.request.placement
    end = last.objects_end + placement.guard_bytes
    return evolve(
        placement,
        queue=placement.queue + 1,
        dispatch=placement.dispatch + 1,
        workgroup=placement.workgroup + len(last.machine.workgroups),
        wave=placement.wave + len(last.waves),
        objects_address=-(-end // _PAGE_BYTES) * _PAGE_BYTES,
        scratch_address=FIRST_PLACEMENT.scratch_address + count * _SCRATCH_STEP,
    )


def dispatched(request: Request) -> Launched:
    """Return the dispatch; `UsageError` if it is impossible, `Malformed` for an impossible
    descriptor, `Unsupported` for workgroup clusters."""
    descriptor = request.kernel.descriptor
    if descriptor is None or request.kernel.entry is None or request.kernel.address is None:
        raise UsageError(f"kernel {request.kernel_name} has no descriptor with its start")
    if max(request.kernel.address, request.kernel.entry) + request.load_address >= 1 << 64:
        raise UsageError(
            f"kernel {request.kernel_name} has no address where the code object is loaded at "
            f"{request.load_address:#x}: addresses have 64 bits"
        )
    if request.kernel.entry % ENTRY_ALIGNMENT:  # AMDGPU usage, "Kernel Descriptor"
        raise Malformed(
            f"kernel {request.kernel_name} cannot begin at {request.kernel.entry:#x} of its file, "
            f"as its descriptor says: waves start at multiples of {ENTRY_ALIGNMENT}"
        )
    lanes = descriptor.wave_size
    require_no_clusters(request)
    require_geometry(request, lanes)
    placement = request.placement
    allocator = dispatch_packet.Allocator(placement.objects_address, placement.guard_bytes)
    addresses = _addresses(request, allocator)
    agent = placement.agent
    hidden = HiddenValues(
        request.geometry,
        addresses.queue,
        agent.local_base,
        agent.private_base,
        request.dynamic_lds_bytes,
    )
    bound = _bound(request, hidden, allocator)
    group_bytes = descriptor.lds_bytes + bound.dynamic_lds_bytes + request.dynamic_lds_bytes
    require_lds(request.processor, group_bytes)
    scratch_bytes = wave_scratch_bytes(request, lanes)
    groups, waves = _waves(request, lanes, group_bytes)
    scratch_total = scratch_bytes * len(waves)
    users, first_system = _user_sgprs(request, descriptor, addresses, bound, scratch_total)
    shared = {f"s{user.number}": user.value for user in users if user.value is not None}
    launched = tuple(
        _wave(request, wave, n, scratch_bytes, groups[wave.workgroup or 0], shared, first_system)
        for n, wave in enumerate(waves)
    )
    dispatch = Dispatch(
        placement.dispatch, placement.queue, 0, request.kernel.name,
        request.kernel.address + request.load_address,
        request.geometry.grid, request.geometry.workgroup, addresses.kernarg,
        addresses.completion, group_bytes,
        request.private_bytes, *initial_registers.allocation(descriptor, request.processor),
    )  # fmt: skip
    ring_bytes = dispatch_packet.PACKET_BYTES * PACKET_COUNT
    queue = Queue(placement.queue, agent.id, addresses.queue, addresses.packets, ring_bytes, 0, 1)
    machine = Machine(
        lanes,
        {agent.id: agent},
        {queue.id: queue},
        {dispatch.id: dispatch},
        groups,
        {wave.id: wave for wave in waves},
    )
    return Launched(
        request,
        machine,
        request.kernel.entry + descriptor.skipped_bytes + request.load_address,
        launched,
        _memory(request, addresses, agent, dispatch, bound, len(waves), scratch_bytes),
        bound,
        tuple(users),
        group_bytes,
        allocator.next,
        tuple(_notes(request, users, bound)),
    )


def _addresses(request: Request, allocator: dispatch_packet.Allocator) -> _Addresses:
    kernarg_bytes = request.kernel.kernarg_bytes or 0
    if kernarg_bytes > kernarg.MAX_BYTES:
        raise LimitExceeded(f"{kernarg_bytes} bytes of arguments: at most {kernarg.MAX_BYTES}")
    return _Addresses(
        allocator.take(dispatch_packet.QUEUE_BYTES, 64),
        allocator.take(dispatch_packet.PACKET_BYTES * PACKET_COUNT, 4096),
        allocator.take(dispatch_packet.SIGNAL_BYTES, 64),
        allocator.take(dispatch_packet.SIGNAL_BYTES, 64),
        allocator.take(max(kernarg_bytes, 1), _kernarg_alignment(request)),
    )


def _kernarg_alignment(request: Request) -> int:
    """Return the alignment of a kernarg segment in bytes: at least what its metadata asks for
    (`.kernarg_segment_align`); `IllFormed` where that is none."""
    metadata = request.kernel.metadata
    asked = None if metadata is None else metadata.kernarg_align_bytes
    if asked is None:
        return KERNARG_ALIGNMENT
    if asked not in _ALIGNMENTS:
        raise IllFormed(
            f"the metadata of kernel {request.kernel_name} asks for kernel arguments aligned to "
            f"{shown(asked)} bytes: expected a power of two, at most {max(_ALIGNMENTS)}"
        )
    return max(KERNARG_ALIGNMENT, asked)


def _user_sgprs(
    request: Request,
    descriptor: KernelDescriptor,
    addresses: _Addresses,
    bound: Kernarg,
    scratch_bytes: int,
) -> tuple[list[initial_registers.Sgpr], int]:
    """Return the user SGPRs, and the number of the first system SGPR; `scratch_bytes`: of all
    waves."""
    values = initial_registers.UserValues(
        dispatch_ptr=addresses.packets,
        queue_ptr=addresses.queue,
        kernarg_segment_ptr=addresses.kernarg,
        dispatch_id=0,
        scratch_address=request.placement.scratch_address,
        scratch_bytes=scratch_bytes,
        private_bytes=request.private_bytes,
        geometry=request.geometry,
        lane_count=descriptor.wave_size,
    )
    length, first = initial_registers.preloaded(descriptor)
    preload = [_dword(bound.pieces, 4 * (first + n)) for n in range(length)]
    return initial_registers.user_sgprs(descriptor, request.processor, values, preload)


def _memory(
    request: Request,
    addresses: _Addresses,
    agent: Agent,
    dispatch: Dispatch,
    bound: Kernarg,
    wave_count: int,
    scratch_bytes: int,
) -> dispatch_packet.Pieces:
    """Return the known parts of packet, queue, signals and kernarg segment."""
    packet = dispatch_packet.Packet(
        request.geometry,
        dispatch.private_bytes or 0,
        dispatch.group_bytes or 0,
        dispatch.kernel_descriptor or 0,
        addresses.kernarg,
        addresses.completion,
    )
    granules = scratch_bytes // request.processor.scratch_granule_bytes
    queue = dispatch_packet.QueueObject(
        id=request.placement.queue,
        packets_address=addresses.packets,
        packet_count=PACKET_COUNT,
        doorbell=addresses.doorbell,
        local_base=agent.local_base,
        private_base=agent.private_base,
        write_dispatch_id=1,
        read_dispatch_id=0,
        scratch_address=request.placement.scratch_address,
        scratch_bytes=scratch_bytes * wave_count,
        tmpring_size=wave_count | granules << 12 if wave_count < 1 << 12 else None,
    )
    return dispatch_packet.joined(
        [
            (addresses.packets, packet.encoded()),
            *dispatch_packet.placed(addresses.queue, queue.pieces()),
            *dispatch_packet.placed(
                addresses.doorbell, dispatch_packet.doorbell_signal(addresses.queue)
            ),
            *dispatch_packet.placed(addresses.completion, dispatch_packet.user_signal(1)),
            *dispatch_packet.placed(addresses.kernarg, bound.pieces),
        ]
    )


def _bound(request: Request, hidden: HiddenValues, allocator: dispatch_packet.Allocator) -> Kernarg:
    """Return the arguments. Without metadata none is known, and none can be given."""
    metadata, kernel = request.kernel.metadata, request.kernel
    if metadata is None:
        if request.arguments:
            name = request.kernel_name
            raise UsageError(f"the code object has no metadata of the arguments of {name}")
        size = kernel.kernarg_bytes
        unknown = (f"the complete kernarg segment of {size} bytes",) if size else ()
        return Kernarg([], (), 0, unknown)
    fixed = 0 if kernel.descriptor is None else kernel.descriptor.lds_bytes
    return kernarg.bind(
        request.parameters,
        metadata.arguments,
        request.arguments,
        hidden,
        allocator,
        fixed,
        request.earlier,
        kernel.kernarg_bytes or 0,
    )


def _waves(
    request: Request, lanes: int, group_bytes: int
) -> tuple[dict[int, Workgroup], list[Wave]]:
    """Return workgroups, x fastest, and their waves; LDS is allocated in granules."""
    geometry, placement = request.geometry, request.placement
    granule = request.processor.lds_granule_bytes
    local_bytes = -(-group_bytes // granule) * granule
    groups: dict[int, Workgroup] = {}
    waves: list[Wave] = []
    for number, position in enumerate(geometry.positions(), placement.workgroup):
        size = geometry.size_at(position)
        groups[number] = Workgroup(number, placement.dispatch, position, size, local_bytes)
        for wave_in_group in range(-(-prod(size) // lanes)):
            waves.append(Wave(placement.wave + len(waves), number, wave_in_group))
    return groups, waves


def _wave(
    request: Request,
    wave: Wave,
    index: int,
    scratch_bytes: int,
    group: Workgroup,
    shared: Mapping[str, Contents],
    first_system: int,
) -> WaveRegisters:
    descriptor, processor = request.kernel.descriptor, request.processor
    assert descriptor is not None and group.position is not None and group.size is not None
    assert wave.wave_in_group is not None
    lanes = descriptor.wave_size
    offset = index * scratch_bytes
    values = initial_registers.WaveValues(
        group.position,
        group.size,
        wave.wave_in_group,
        -(-prod(group.size) // lanes),
        offset,
        request.placement.scratch_address + offset,
    )
    scalars: dict[str, Contents] = {
        **shared,
        **initial_registers.system_sgprs(descriptor, processor, first_system, values),
        **initial_registers.other_scalars(descriptor, processor, lanes, values),
    }
    return WaveRegisters(
        wave,
        values.scratch_address if scratch_bytes else None,
        scratch_bytes,
        element_bytes(descriptor),
        scalars,
        initial_registers.work_item_ids(descriptor, processor, lanes, values),
    )


def _dword(pieces: dispatch_packet.Pieces, offset: int) -> Contents | None:
    """Return a dword of a segment; None if no byte of it is known."""
    data: dict[int, int] = {}
    for start, part in pieces:
        for position in range(max(start, offset), min(start + len(part), offset + 4)):
            data[position] = part[position - start]
    if not data:
        return None
    if len(data) < 4:
        return " ".join(f"{data[offset + n]:02x}" if offset + n in data else "??" for n in range(4))
    return int.from_bytes(bytes(data[offset + n] for n in range(4)), "little")


def _preloaded_padding(
    request: Request, descriptor: KernelDescriptor, users: Sequence[initial_registers.Sgpr]
) -> frozenset[int]:
    """Return the user SGPRs with bytes of the kernarg segment that belong to no argument."""
    metadata = request.kernel.metadata
    if metadata is None:
        return frozenset()
    _, first = initial_registers.preloaded(descriptor)
    used = {
        dword
        for argument in metadata.arguments
        for dword in range(
            argument.offset_bytes // 4, (argument.offset_bytes + argument.size_bytes + 3) // 4
        )
    }
    numbers = [user.number for user in users if user.field == _PRELOADED]
    return frozenset(number for n, number in enumerate(numbers, first) if n not in used)


def _unknown_registers(name: str, numbers: Sequence[int]) -> str:
    """Return why user SGPRs of one field are unknown."""
    breaks = [index for index, (a, b) in enumerate(pairwise(numbers), 1) if b != a + 1]
    runs = [numbers[a:b] for a, b in pairwise([0, *breaks, len(numbers)])]
    registers = ", ".join(
        f"s{run[0]}" if len(run) == 1 else f"s[{run[0]}:{run[-1]}]" for run in runs
    )
    is_argument = name == _PRELOADED
    why = "not given" if is_argument else "the documents do not define it for this processor"
    return f"unknown: {registers} ({name}): {why}"


def _notes(request: Request, users: Sequence[initial_registers.Sgpr], bound: Kernarg) -> list[str]:
    """Return notes about unknown contents, for the user."""
    descriptor = request.kernel.descriptor
    assert descriptor is not None
    notes = [f"unknown: {name}" for name in bound.unknown]
    if contradictions := "; ".join(request.kernel.contradictions):
        notes.append(f"the descriptor counts; the metadata contradict it: {contradictions}")
    unknown = [user for user in users if user.value is None]
    padding = _preloaded_padding(request, descriptor, users)
    for name in dict.fromkeys(user.field for user in unknown if user.number not in padding):
        numbers = [
            user.number for user in unknown if user.field == name and user.number not in padding
        ]
        notes.append(_unknown_registers(name, numbers))
    fields = descriptor.fields
    is_dynamic = fields.get("uses_dynamic_stack") or fields.get("is_dynamic_callstack")
    if is_dynamic and request.scratch_bytes is None:
        notes.append(
            f"the kernel's stack is dynamic: it may need more than the {request.private_bytes} "
            "bytes of scratch per lane that are set up; --scratch gives more"
        )
    if request.scratch_bytes is not None and request.has_no_scratch:
        notes.append(
            f"--scratch {request.scratch_bytes}: {request.kernel_name} has no scratch memory"
        )
    requested = sum(
        count
        for name, count in initial_registers.USER_SGPRS
        if descriptor.fields.get(f"enable_sgpr_{name}")
    )
    count = descriptor.fields["user_sgpr_count"]
    if requested > min(count, request.processor.most_user_sgprs):
        notes.append(f"the descriptor enables {requested} user SGPRs but counts {count}")
    return notes
