"""How operations and users read and write locations: the protocol of access.

`dwarfgpu.access.location_access` implements it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Protocol

from dwarfgpu.access.coalesced_reads import Run, RunBudget
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.limits import Limits
from dwarfgpu.machine.target import Target
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import ImplicitPointer


class Access(Protocol):
    """How operations and users read and write locations.

    `ScalarAccess` does it for one lane, `VectorAccess` for a group of lanes in one pass, in which
    integers may be `Lanes`.
    """

    @property
    def endian(self) -> Endian:
        """The byte order of every object."""
        ...

    def retrieve(self, location: Location, size_bits: int) -> int | ImplicitPointer:
        """Return the bits for DW_OP_deref_type: all of them, or an error (A.2.5.4.3.4,
        A.2.5.4.4.5)."""
        ...

    def read(self, location: Location, size_bits: int) -> Bits:
        """Return the bits of an object, with undefined and unavailable bits marked."""
        ...

    def pointer(self, location: Location, size_bits: int) -> ImplicitPointer | None:
        """Return the implicit pointer that fills the object; None for any other contents."""
        ...

    def read_bytes(self, location: Location, size_bytes: int) -> bytes:
        """Return all bytes of an object, or raise an error."""
        ...

    def write(self, location: Location, size_bits: int, value: int) -> None:
        """Write the run to every single location, or to none."""
        ...

    def write_bytes(self, location: Location, data: bytes) -> None:
        """Write bytes to every single location, or to none."""
        ...

    def runs(
        self, location: Location, size_bits: int, budget: RunBudget | None = None
    ) -> Iterator[Run]:
        """Yield the runs of bits that make up an object, in storage order."""
        ...


class HasAccess(Target):
    """A target whose class determines how it is accessed: a group of lanes at once.

    This is a base class rather than a protocol because every context checks for it, and
    `isinstance` with a protocol looks up every member.
    """

    @abstractmethod
    def access(self, endian: Endian, limits: Limits) -> Access:
        """Access to the target in a byte order, within limits."""
        ...
