"""The registers of a thread in a core file, read from its notes when a question asks for them: a
core may have tens of thousands of threads, and decoded registers take several times their bytes.

Law: `notes` has checked the sizes of the notes and the components of NT_X86_XSTATE.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dwarfgpu.machine.core.register_layouts import (
    FXSAVE_BYTES,
    SYSTEM_NOTES,
    Layout,
    extended_registers,
    floating_registers,
    fxsave_registers,
    legacy_area,
    segment_base,
    system_registers,
)
from dwarfgpu.objfile.elf import ObjectFile


class RegisterNotes:
    """What the threads of a core share: the file, the layouts, and the registers decoded last."""

    def __init__(self, file: ObjectFile, layout: Layout) -> None:
        self.layout = layout
        self.xsave_layout: bytes | None = None
        """The content of NT_X86_XSAVE_LAYOUT."""
        self._file = file
        self._last: tuple[ThreadRegisters, Mapping[str, bytes]] | None = None

    def read(self, offset: int, size_bytes: int) -> bytes:
        """Return bytes of the file; `Malformed` if it has become shorter."""
        return self._file.file_bytes(offset, size_bytes, "note")

    def decoded(self, thread: ThreadRegisters) -> Mapping[str, bytes]:
        """Return all registers of a thread; those of the last one are kept."""
        last = self._last  # another thread of Python may ask for another thread
        if last is None or last[0] is not thread:
            last = thread, dict(thread.decode())
            self._last = last
        return last[1]


class ThreadRegisters(Mapping[str, bytes]):
    """Name to its bytes, of one thread; `Malformed` if the file has become shorter."""

    __slots__ = (
        "_notes", "_status_at", "extended", "floating_at", "fxsave_at", "segments", "system_at",
    )  # fmt: skip

    def __init__(self, notes: RegisterNotes, status_at: int) -> None:
        self._notes = notes
        self._status_at = status_at
        self.floating_at: int | None = None
        """Offset of the content of NT_FPREGSET in the file, in bytes; None for none, as below."""
        self.fxsave_at: int | None = None
        """Offset of the content of NT_PRXFPREG."""
        self.segments: tuple[int, int] | None = None
        """Offset and size of the content of NT_386_TLS."""
        self.extended: tuple[int, int] | None = None
        """Offset and size of the content of NT_X86_XSTATE."""
        self.system_at: tuple[tuple[int, int], ...] = ()
        """Types of notes of `SYSTEM_NOTES`, and offsets of their contents."""

    def __getitem__(self, name: str) -> bytes:
        offset = self._notes.layout.general.get(name)
        if offset is not None:  # a list of all threads reads only these
            return self._notes.read(self._status_at + offset, self._notes.layout.word_bytes)
        return self._notes.decoded(self)[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._notes.decoded(self))

    def __len__(self) -> int:
        return len(self._notes.decoded(self))

    def decode(self) -> Iterator[tuple[str, bytes]]:
        """Yield all registers, each with its bytes."""
        notes, layout = self._notes, self._notes.layout
        for name in layout.general:
            yield name, self[name]
        if self.floating_at is not None:
            data = notes.read(self.floating_at, layout.floating_bytes)
            yield from floating_registers(data, layout).items()
        if self.fxsave_at is not None:
            yield from fxsave_registers(notes.read(self.fxsave_at, FXSAVE_BYTES), layout).items()
        elif self.extended is not None and layout.floating_bytes != FXSAVE_BYTES:
            area = legacy_area(notes.read(*self.extended))
            yield from fxsave_registers(area, layout).items()
        if self.segments is not None:
            selector = int.from_bytes(self["gs"], "little")
            base = segment_base(notes.read(*self.segments), selector)
            if base is not None:
                yield "gs_base", base.to_bytes(4, "little")
        for kind, offset in self.system_at:
            data = notes.read(offset, 8 * len(SYSTEM_NOTES[kind]))
            yield from system_registers(kind, data).items()
        if self.extended is not None:
            data = notes.read(*self.extended)
            yield from extended_registers(data, notes.xsave_layout).items()
