"""An object that is watched: where its bytes are, and its value at a later stop.

Law: what is watched is where the object was when that began; it does not move with a pointer.
"""

from __future__ import annotations

from attrs import evolve, field

from dwarfgpu import language
from dwarfgpu.base.light_attrs import define, frozen
from dwarfgpu.errors import Unavailable, UsageError
from dwarfgpu.language.places import Places
from dwarfgpu.language.value import TypedValue
from dwarfgpu.machine.image import ImageTarget
from dwarfgpu.machine.target import MemoryPlace, RegisterId, RegisterPlace, WatchedBytes, WaveId
from dwarfgpu.model.storage import Memory
from dwarfgpu.session.session import Session
from dwarfgpu.view.values import FormatOptions


@define(eq=False)
class _NotedReads(ImageTarget):
    """A machine that notes what is read, or cannot be read because nothing has written it."""

    reads: list[WatchedBytes] = field(factory=list)

    def read_register(
        self,
        wave: WaveId,
        register: RegisterId,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        count = (register.size_bits + 7) // 8 - offset_bytes if size_bytes is None else size_bytes
        self.reads.append(WatchedBytes(RegisterPlace(wave, register, offset_bytes), count))
        return super().read_register(wave, register, offset_bytes, size_bytes)

    def read_memory(self, where: Memory, address: int, size_bytes: int) -> bytes:
        self.reads.append(WatchedBytes(MemoryPlace(where, address), size_bytes))
        return super().read_memory(where, address, size_bytes)


@frozen(eq=False)
class Watched:
    """An object in the machine."""

    value: TypedValue
    """Its type and location, without contents."""
    bytes: tuple[WatchedBytes, ...]

    def text(self, session: Session, options: FormatOptions) -> str:
        """Its value now."""
        value = self.value
        if value.location is not None:
            value = evolve(value, location=evolve(value.location, stop=session.stop))
        value = Places(session).read(value)
        if isinstance(value.error, Unavailable):
            return "<unavailable>"
        return language.format(value, session, options)


def watched(session: Session, value: TypedValue, text: str) -> Watched:
    """An object of an expression; `UsageError` in GDB's words where it is not in the machine."""
    target = session.target
    if value.error is not None and not isinstance(value.error, Unavailable):
        raise value.error
    if value.location is None or not isinstance(target, ImageTarget):
        raise UsageError(f"Cannot watch constant value `{text}'.")
    unread = TypedValue(
        value.type, value.location, bit_size=value.bit_size, unit=value.unit, around=value.around
    )
    noted = _NotedReads(target.machine, target.images, target.has_started)
    again = Places(evolve(session, target=noted)).read(unread)
    if again.error is not None and not isinstance(again.error, Unavailable):
        raise again.error
    if not noted.reads:
        raise UsageError(f"Cannot watch constant value `{text}'.")
    return Watched(unread, tuple(noted.reads))
