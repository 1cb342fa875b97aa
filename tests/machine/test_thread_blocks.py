"""Thread-local blocks of libraries, from memory laid out as glibc 2.36 for x86-64 describes its own
(`_thread_db_*` of Debian's libc.so.6); expected addresses are those of `td_thr_tlsbase`."""

from __future__ import annotations

from struct import pack
from types import SimpleNamespace
from typing import Any

import pytest

from dwarfgpu.errors import Unavailable
from dwarfgpu.machine.thread_blocks import ThreadBlocks

LIBC, LINKER, LIBRARY = 0x7000_0000, 0x7100_0000, 0x7200_0000
MAP, SLOTS, MORE_SLOTS, VECTOR, POINTER = 0x1000, 0x8000, 0x9000, 0x5000, 0x4000
FIELDS = {
    "link_map_l_tls_modid": (64, 1, 1152),
    "link_map_l_tls_offset": (64, 1, 1144),
    "dtv_dtv": (128, 134217727, 0),
    "dtv_t_pointer_val": (64, 1, 0),
    "dtv_t_counter": (64, 1, 0),
    "pthread_dtvp": (64, 1, 8),
    "dtv_slotinfo_list_len": (64, 1, 0),
    "dtv_slotinfo_list_next": (64, 1, 8),
    "dtv_slotinfo_list_slotinfo": (128, 0, 16),
    "dtv_slotinfo_gen": (64, 1, 0),
    "dtv_slotinfo_map": (64, 1, 8),
    "rtld_global__dl_tls_dtv_slotinfo_list": (64, 1, 4208),
}
NO_STATIC, FORCED_DYNAMIC, UNALLOCATED = 0, (1 << 64) - 1, (1 << 64) - 1


def loaded(path: str, address: int, symbols: dict[str, int], dynamic: int) -> Any:
    def symbols_named(name: str) -> tuple[Any, ...]:
        return (SimpleNamespace(address=symbols[name], section=1),) if name in symbols else ()

    segments = [SimpleNamespace(type=2, address=dynamic)]
    file = SimpleNamespace(
        path=path, segments=segments, symbols_named=symbols_named, address_bytes=8
    )
    return SimpleNamespace(file=file, load_address=address)


def blocks(
    module: int = 3,
    entry: int = 0xA000,
    counter: int = 2,
    needed: int = 2,
    static: int = NO_STATIC,
    fields: dict[str, tuple[int, int, int]] = FIELDS,
    copies: int = 1,
    c_libraries: tuple[str, ...] = ("libc.so.6",),
) -> ThreadBlocks:
    words = {
        MAP + 1152: module,
        MAP + 1144: static,
        LINKER + 0x40 + 4208: SLOTS,
        SLOTS: 2,  # modules 0 and 1, the others follow in another list
        SLOTS + 8: MORE_SLOTS,
        MORE_SLOTS: 2,
        MORE_SLOTS + 8: 0,
        MORE_SLOTS + 16 + 16 * (module - 2): needed,
        MORE_SLOTS + 16 + 16 * (module - 2) + 8: MAP,
        POINTER + 8: VECTOR,
        VECTOR: counter,
        VECTOR + 16 * module: entry,
    }
    memory = {address: value.to_bytes(8, "little") for address, value in words.items()}
    symbols = {f"_thread_db_{name}": 0x100 + 16 * n for n, name in enumerate(fields)}
    memory |= {
        LIBC + 0x1000 * n + symbols[f"_thread_db_{name}"]: pack("<3I", *field)
        for name, field in fields.items()
        for n in range(len(c_libraries))
    }

    def read(address: int, size_bytes: int) -> bytes:
        if address not in memory:
            raise Unavailable(f"cannot read memory at address {address:#x}")
        return memory[address][:size_bytes]

    files = [
        *(loaded(name, LIBC + 0x1000 * n, symbols, 0x10) for n, name in enumerate(c_libraries)),
        loaded("ld.so", LINKER, {"_rtld_global": 0x40}, 0x10),
        *[loaded("lib.so", LIBRARY, {}, 0x20)] * copies,
    ]
    return ThreadBlocks(read, "little", 64, files, lambda: {LIBRARY + 0x20: MAP})


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (blocks(), 0xA000),
        (blocks(module=2), 0xA000),
        (blocks(module=4), None),  # in no list
        (blocks(module=0), None),  # it has no thread-local storage
        (blocks(counter=1, static=0x80), POINTER - 0x80),  # the vector is older than the module
        (blocks(entry=UNALLOCATED, static=0x80), POINTER - 0x80),
        (blocks(fields={}), None),  # a C library that describes nothing
        (blocks(fields={**FIELDS, "pthread_dtvp": (32, 1, 8)}), None),
        (blocks(copies=2), None),  # in two namespaces: which of them is meant
        (blocks(c_libraries=("libc.so.6",) * 2), 0xA000),  # they are the same
        (blocks(c_libraries=("libc.so.6", "other.so")), None),
    ],
)
def test_block(made: ThreadBlocks, expected: int | None) -> None:
    assert made.block("lib.so", POINTER) == expected


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (blocks(), 3),
        (blocks(module=2, counter=1), 2),  # the thread has no block yet
        (blocks(module=0), None),
        (blocks(fields={}), None),
        (blocks(copies=2), None),
    ],
)
def test_number_of_a_module(made: ThreadBlocks, expected: int | None) -> None:
    assert made.module("lib.so") == expected


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (blocks(counter=1), "has not allocated it in this thread yet"),
        (blocks(entry=UNALLOCATED), "has not allocated it in this thread yet"),
        (blocks(counter=1, static=FORCED_DYNAMIC), "has not allocated it in this thread yet"),
    ],
)
def test_no_block_yet(made: ThreadBlocks, message: str) -> None:
    with pytest.raises(Unavailable, match=message):
        made.block("lib.so", POINTER)


def test_tables_that_are_not_in_memory() -> None:
    with pytest.raises(Unavailable, match="cannot read memory at address 0x4108"):
        blocks().block("lib.so", 0x4100)
