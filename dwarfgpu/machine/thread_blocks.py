"""Where the dynamic linker of glibc put the thread-local storage of libraries.

glibc describes its structures to debuggers: `_thread_db_STRUCT_FIELD` of libc.so.6 is the size in
bits, the number and the offset of a field (`nptl_db/db_info.c`). Law: the answer is that of its
libthread_db (`td_thr_tlsbase`): the thread's vector counts only if it is as new as the module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

from dwarfgpu.base.records import frozen
from dwarfgpu.errors import Unavailable
from dwarfgpu.machine.dynamic_linker import Loaded, dynamic_section

_NO_STATIC_OFFSETS: Final = (0, -1)
"""NO_TLS_OFFSET and FORCED_DYNAMIC_TLS_OFFSET, where the block is before the thread pointer."""
_UNALLOCATED: Final = 1
"""The lowest bit of TLS_DTV_UNALLOCATED."""
_MAX_LISTS: Final = 10_000


@frozen
class _Field:
    """A field of a structure, as glibc describes it."""

    bits: int
    offset: int


@frozen(eq=False)
class ThreadBlocks:
    """The loaded files of a process and what its dynamic linker recorded of them."""

    read: Callable[[int, int], bytes]
    """Reads the process's memory."""
    endian: Literal["little", "big"]
    word_bits: int
    """Size of an address, in bits."""
    files: Sequence[Loaded]
    link_maps: Callable[[], Mapping[int, int]]
    """Returns the address of each `struct link_map`, by that of the dynamic section."""

    @property
    def _mask(self) -> int:
        return (1 << self.word_bits) - 1

    def block(self, path: str, thread_pointer: int) -> int | None:
        """Return the address of a file's block in the thread with a thread pointer; None if the
        dynamic linker does not say.

        `Unavailable` if the thread has none yet, or what says so is not in memory.
        """
        link_map = self._link_map(path)
        module = None if link_map is None else self._word("link_map_l_tls_modid", link_map)
        if link_map is None or not module:
            return None
        slot = self._slot(module)
        if slot is None or self._word("dtv_slotinfo_map", slot) != link_map:
            return None
        return self._block_of(module, slot, link_map, thread_pointer)

    def module(self, path: str) -> int | None:
        """Return the number of a file among those with thread-local storage; None if it has none,
        or the dynamic linker does not say."""
        try:
            link_map = self._link_map(path)
            module = None if link_map is None else self._word("link_map_l_tls_modid", link_map)
        except Unavailable:
            return None
        return module or None

    def _link_map(self, path: str) -> int | None:
        """Return the address of a file's `struct link_map`; None if it is not described."""
        loaded = [file for file in self.files if file.file.path == path]
        describing = self._address_of("_thread_db_link_map_l_tls_modid")
        if len(loaded) != 1 or describing is None:
            return None
        file = loaded[0]
        section = dynamic_section(file)
        return None if section is None else self.link_maps().get(section)

    def _block_of(self, module: int, slot: int, link_map: int, thread_pointer: int) -> int | None:
        vector = self._word("pthread_dtvp", thread_pointer)
        entry = self._field("dtv_dtv")
        needed = self._word("dtv_slotinfo_gen", slot)
        if vector is None or entry is None or needed is None:
            return None
        newest = self._word("dtv_t_counter", vector + entry.offset)
        if newest is None:
            return None
        if newest >= needed:
            address = self._word(
                "dtv_t_pointer_val", vector + entry.offset + entry.bits // 8 * module
            )
            if address is None or not address & _UNALLOCATED:
                return address
        offset = self._word("link_map_l_tls_offset", link_map)
        if offset is None:
            return None
        if offset in [none & self._mask for none in _NO_STATIC_OFFSETS]:
            raise Unavailable("the dynamic linker has not allocated it in this thread yet")
        return thread_pointer - offset & self._mask

    def _slot(self, module: int) -> int | None:
        """Return the address of a module's `struct dtv_slotinfo`."""
        linker = self._address_of("_rtld_global")
        slots = self._field("dtv_slotinfo_list_slotinfo")
        head = (
            None if linker is None else self._word("rtld_global__dl_tls_dtv_slotinfo_list", linker)
        )
        for _ in range(_MAX_LISTS):
            count = self._word("dtv_slotinfo_list_len", head) if head else None
            if not head or count is None or slots is None:
                return None
            if module < count:
                return head + slots.offset + slots.bits // 8 * module
            module -= count
            head = self._word("dtv_slotinfo_list_next", head)
        return None

    def _word(self, name: str, structure: int) -> int | None:
        """Return a field of the structure at an address; None if it is not described as a word."""
        field = self._field(name)
        if field is None or field.bits != self.word_bits:
            return None
        data = self.read(structure + field.offset & self._mask, self.word_bits // 8)
        return int.from_bytes(data, self.endian)

    def _field(self, name: str) -> _Field | None:
        address = self._address_of(f"_thread_db_{name}")
        if address is None:
            return None
        data = self.read(address, 12)
        bits = int.from_bytes(data[:4], self.endian)
        offset = int.from_bytes(data[8:], self.endian, signed=True)
        return _Field(bits, offset)

    def _address_of(self, name: str) -> int | None:
        """Return the address of the only loaded symbol of a name: each namespace of dlmopen(3) has
        a copy of the C library, and of these the first one is as good as the others."""
        symbols = {
            (file.file.path, symbol.address): file.load_address + symbol.address & self._mask
            for file in reversed(self.files)
            for symbol in file.file.symbols_named(name)
            if symbol.section
        }
        return next(iter(symbols.values())) if len(symbols) == 1 else None
