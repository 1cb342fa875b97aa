"""Waves, lanes and address spaces of ROCgdb: only inside GDB's own Python.

Law: this uses commands and expressions from its manual, because its Python has no lanes: the
variable `$_lane`, the command `lane N`, addresses `private_lane#0x10` in expressions.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import gdb

from dwarfgpu.arch.model import AddressSpace, Architecture
from dwarfgpu.arch.registry import architecture
from dwarfgpu.errors import Unavailable, Unsupported, UsageError
from dwarfgpu.gdb.machine.gdb_values import gdb_message, said, value_bytes

_GPU: Final = "amdgcn:"
"""How ROCgdb's names of architectures begin: `amdgcn:gfx90a`."""
_MAX_BYTES: Final = 4096
"""Maximum number of bytes of memory in one expression: GDB has a limit to the size of values."""


def is_gpu(name: str) -> bool:
    """Return whether GDB's name of an architecture is that of a GPU."""
    return name.startswith(_GPU)


def wave_architecture(frame: gdb.Frame) -> Architecture:
    """Return the GPU of a frame, with as many lanes as the wave's execution mask has bits.

    `Unsupported` if it is unknown, `Unavailable` if GDB has no execution mask.
    """
    name = str(frame.architecture().name()).removeprefix(_GPU)
    try:
        lanes = 8 * int(frame.read_register("exec").type.sizeof)
    except (ValueError, gdb.error) as error:
        raise Unavailable(f"the wave size: {gdb_message(error)}") from None
    try:
        return architecture(name, lanes)
    except UsageError as error:
        raise Unsupported(f"GDB's architecture {_GPU}{name}: {error}") from None


def selected_lane() -> int | None:
    """Return the lane of the selected wave; None in a GDB without lanes, and in a thread of the
    host."""
    count = gdb.convenience_variable("_lane_count")
    lane = gdb.convenience_variable("_lane")
    try:
        return None if lane is None or not count else int(lane)
    except (TypeError, ValueError, gdb.error):  # the user has redefined them
        return None


def select_lane(lane: int | None) -> None:
    """Select a lane of the selected wave, if necessary; `Unavailable` if the wave has no such
    lane."""
    if lane is None or lane == selected_lane():
        return
    try:
        said(f"lane {lane}")
    except gdb.error as error:
        raise Unavailable(f"lane {lane}: {gdb_message(error)}") from None


@contextmanager
def lane_selected(lane: int | None) -> Iterator[None]:
    """Select a lane of the selected wave temporarily."""
    before = selected_lane()
    try:
        select_lane(lane)
        yield
    finally:
        select_lane(before)


def space_bytes(space: AddressSpace, address: int, size_bytes: int) -> bytes:
    """Return memory of an address space, for the selected wave and lane; all of it, or
    `Unavailable`."""
    out = b""
    while len(out) < size_bytes:
        here, count = address + len(out), min(size_bytes - len(out), _MAX_BYTES)
        address_text = _address_text(space, here)
        try:
            value = gdb.parse_and_eval(f"*(unsigned char (*)[{count}]) {address_text}")
            out += value_bytes(value, "little")
        except (gdb.error, ValueError) as error:
            raise _unreachable(space, here, error) from None
    return out


def write_space(space: AddressSpace, address: int, data: bytes) -> None:
    """Write memory of an address space, for the selected wave and lane, if it can be read."""
    space_bytes(
        space, address, len(data)
    )  # all or nothing: GDB writes the first bytes, and then fails
    for index, byte in enumerate(data):
        target = f"*(unsigned char *) {_address_text(space, address + index)}"
        try:
            said(f"with language c -- set var {target} = {byte:#x}")
        except gdb.error as error:
            raise _unreachable(space, address + index, error) from None


def _address_text(space: AddressSpace, address: int) -> str:
    if space.unavailable is not None:
        raise Unavailable(f"{space} memory: {space.unavailable}")
    return f"({space.name}#{address:#x})"


def _unreachable(space: AddressSpace, address: int, error: Exception) -> Unavailable:
    return Unavailable(f"cannot access memory at {space.name}#{address:#x}: {gdb_message(error)}")
