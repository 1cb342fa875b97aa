"""Structures of the HSA runtime in memory: queues, signals and AQL packets (ROCm compute ABI,
"AMD Queue", "Signal object"; HSA System Architecture, "Architected Queuing Language").

Law: only members whose layout a document gives are declared; the bytes between them are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from dwarfgpu.base.records import frozen

SIGNAL_KINDS: Final = {
    0: "AMD_SIGNAL_KIND_INVALID",
    1: "AMD_SIGNAL_KIND_USER",
    -1: "AMD_SIGNAL_KIND_DOORBELL",
    -2: "AMD_SIGNAL_KIND_LEGACY_DOORBELL",
}
"""`amd_signal_kind_t`."""
USER_SIGNAL: Final = 1
VENDOR_SPECIFIC: Final = 0
KERNEL_DISPATCH: Final = 2
PACKET_TYPES: Final = {
    VENDOR_SPECIFIC: "vendor specific",
    1: "invalid",
    KERNEL_DISPATCH: "kernel dispatch",
    3: "barrier-AND",
    4: "agent dispatch",
    5: "barrier-OR",
}
"""Bits 7:0 of the header of an AQL packet."""


@frozen
class HsaMember:
    """A member: an integer, a pointer, an enumeration, or an array of them."""

    name: str
    offset_bytes: int
    kind: str
    """`u16`, `i64`, `ptr`, `signal_kind`, the name of a structure, or `amd_signal_t*`: a pointer
    to one, which the handle of a signal is, too."""
    count: int | None = None
    """Elements of an array."""

    @property
    def size_bytes(self) -> int:
        """The size of an element."""
        kind = "ptr" if self.kind.endswith("*") else self.kind
        return _SIZES[kind] if kind in _SIZES else STRUCTURES[kind].size_bytes


@frozen
class HsaStructure:
    """A structure in little-endian memory. Members may share their bytes, as in a union."""

    name: str
    size_bytes: int
    members: tuple[HsaMember, ...]

    def offset(self, name: str) -> int:
        """Return where a member is, in bytes."""
        return self.member(name).offset_bytes

    def has(self, name: str) -> bool:
        """Return whether there is a member of a name."""
        return any(member.name == name for member in self.members)

    def member(self, name: str) -> HsaMember:
        """Return a member by its name."""
        return next(member for member in self.members if member.name == name)

    def number(self, data: bytes, name: str) -> int:
        """Return an integer of the bytes of a structure."""
        member = self.member(name)
        end = member.offset_bytes + member.size_bytes
        is_signed = member.kind in _SIGNED
        return int.from_bytes(data[member.offset_bytes : end], "little", signed=is_signed)

    def numbers(self, data: bytes, name: str) -> tuple[int, ...]:
        """Return the integers of an array."""
        member = self.member(name)
        first, size = member.offset_bytes, member.size_bytes
        ends = range(first, first + size * (member.count or 1), size)
        return tuple(int.from_bytes(data[offset : offset + size], "little") for offset in ends)

    def pieces(self, values: Mapping[str, int]) -> Iterator[tuple[int, bytes]]:
        """Yield offsets and bytes of members that have these values."""
        for name, value in values.items():
            member = self.member(name)
            size, is_signed = member.size_bytes, member.kind in _SIGNED
            yield member.offset_bytes, value.to_bytes(size, "little", signed=is_signed)


_SIZES: Final = {"u16": 2, "u32": 4, "u64": 8, "i64": 8, "ptr": 8, "signal_kind": 8}
_SIGNED: Final = frozenset({"i64", "signal_kind"})


def _structure(name: str, size_bytes: int, text: str) -> HsaStructure:
    """Parse `40 u64 end; 48 ptr arg[4]`: offsets, kinds and names."""
    members = []
    for entry in text.split(";"):
        offset, kind, declared = entry.split()
        member, _, count = declared.partition("[")
        number = int(count.removesuffix("]")) if count else None
        members.append(HsaMember(member, int(offset), kind, number))
    return HsaStructure(name, size_bytes, tuple(members))


AMD_SIGNAL: Final = _structure(
    "amd_signal_t", 64,
    "0 signal_kind kind; 8 i64 value; 8 ptr hardware_doorbell_ptr; 16 ptr event_mailbox_ptr; "
    "24 u32 event_id; 32 u64 start_ts; 40 u64 end_ts; 48 amd_queue_t* queue_ptr",
)  # fmt: skip
HSA_QUEUE: Final = _structure(
    "hsa_queue_t", 40,
    "0 u32 type; 4 u32 features; 8 ptr base_address; 16 amd_signal_t* doorbell_signal; "
    "24 u32 size; 32 u64 id",
)  # fmt: skip
AMD_QUEUE: Final = _structure(
    "amd_queue_t", 256,
    "0 hsa_queue_t hsa_queue; 56 u64 write_dispatch_id; 64 u32 group_segment_aperture_base_hi; "
    "68 u32 private_segment_aperture_base_hi; 72 u32 max_cu_id; 76 u32 max_wave_id; "
    "80 u64 max_legacy_doorbell_dispatch_id_plus_1; 88 u32 legacy_doorbell_lock; "
    "128 u64 read_dispatch_id; 136 u32 read_dispatch_id_field_base_byte_offset; "
    "140 u32 compute_tmpring_size; 160 ptr scratch_backing_memory_location; "
    "168 u64 scratch_backing_memory_byte_size; 176 u32 scratch_wave64_lane_byte_size",
)  # fmt: skip
KERNEL_DISPATCH_PACKET: Final = _structure(
    "hsa_kernel_dispatch_packet_t", 64,
    "0 u16 header; 2 u16 setup; 4 u16 workgroup_size_x; 6 u16 workgroup_size_y; "
    "8 u16 workgroup_size_z; 12 u32 grid_size_x; 16 u32 grid_size_y; 20 u32 grid_size_z; "
    "24 u32 private_segment_size; 28 u32 group_segment_size; 32 ptr kernel_object; "
    "40 ptr kernarg_address; 56 amd_signal_t* completion_signal",
)  # fmt: skip
AGENT_DISPATCH_PACKET: Final = _structure(
    "hsa_agent_dispatch_packet_t", 64,
    "0 u16 header; 2 u16 type; 8 ptr return_address; 16 u64 arg[4]; "
    "56 amd_signal_t* completion_signal",
)  # fmt: skip
_BARRIER: Final = "0 u16 header; 8 amd_signal_t* dep_signal[5]; 56 amd_signal_t* completion_signal"
BARRIER_AND_PACKET: Final = _structure("hsa_barrier_and_packet_t", 64, _BARRIER)
BARRIER_OR_PACKET: Final = _structure("hsa_barrier_or_packet_t", 64, _BARRIER)
STRUCTURES: Final = {
    structure.name: structure
    for structure in (
        AMD_SIGNAL, HSA_QUEUE, AMD_QUEUE, KERNEL_DISPATCH_PACKET, AGENT_DISPATCH_PACKET,
        BARRIER_AND_PACKET, BARRIER_OR_PACKET,
    )
}  # fmt: skip
"""Keyed by the name that the headers of the runtime give them."""
