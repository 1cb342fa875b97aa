"""The program that GDB debugs, as a `Target`: only inside GDB's own Python.

Law: GDB's errors become dwarfgpu's, and GDB stays in its thread, lane and frame. A wave is GDB's
global thread number; registers are those of the thread's newest frame.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import gdb

from dwarfgpu.arch.model import NO_APERTURES, Apertures, Architecture
from dwarfgpu.arch.registry import architecture
from dwarfgpu.errors import OutOfRange, Unavailable, Unsupported, UsageError
from dwarfgpu.gdb.machine.gdb_values import (
    address_of,
    gdb_message,
    said,
    value_bytes,
)
from dwarfgpu.gdb.machine.interruptions import interruptions
from dwarfgpu.gdb.machine.process_memory import is_unmapped
from dwarfgpu.gdb.machine.read_dependencies import Reads
from dwarfgpu.gdb.machine.rocm import (
    is_gpu,
    lane_selected,
    select_lane,
    selected_lane,
    space_bytes,
    wave_architecture,
    write_space,
)
from dwarfgpu.gdb.machine.selected_thread import selected_thread
from dwarfgpu.gdb.machine.variable_symbols import only_variable
from dwarfgpu.machine.target import RegisterId, WaveId
from dwarfgpu.model.storage import Memory

if TYPE_CHECKING:
    from dwarfgpu.machine.thread_blocks import ThreadBlocks  # few questions are about threads

_MOVES = (
    "cont",
    "stop",
    "exited",
    "inferior_call",
    "new_objfile",
    "clear_objfiles",
    "free_objfile",
)
"""Events that invalidate everything read before."""
_CHANGES = ("memory_changed", "register_changed")
"""The events of something that the user wrote."""
_STACK_OF_ID = re.compile(r"\{stack=(0x[0-9a-f]+),")
_WRITABLE_BYTES = 8
"""GDB's expressions have no integer constants that are wider."""


class GdbTarget:
    """The selected inferior: registers and memory through GDB."""

    def __init__(self) -> None:
        self._stops: dict[tuple[int, int], int] = {}
        """The stop of each inferior and process, until something moves."""
        self._newest_stop = 0
        self._written = 0
        self._read_while_running: int | None = None
        """The stop at which something was read while the program moved without events."""
        self._newest_frames: dict[WaveId, gdb.Frame] = {}
        """The newest frame of threads at their last command."""
        self._recording: list[Reads] = []
        self._registers: tuple[object, dict[tuple[WaveId, str], bytes | str]] = None, {}
        """Registers of the newest frames, or why one is unknown, while nothing changes."""
        self._architectures: tuple[object, dict[WaveId, Architecture]] = None, {}
        self._lacking: tuple[object, dict[tuple[WaveId, str], bool]] = None, {}
        """Whether GDB lacks registers of the newest frames, while nothing changes."""
        self.thread_blocks: Callable[[], ThreadBlocks | None] = lambda: None
        """Returns the dynamic linker's tables; who knows the loaded files sets it."""
        for name in _MOVES:
            if hasattr(gdb.events, name):  # free_objfile exists since GDB 14
                getattr(gdb.events, name).connect(self._moved)
        for name in _CHANGES:
            getattr(gdb.events, name).connect(self._changed)

    def _moved(self, _: object) -> None:
        self._stops.clear()
        self._newest_frames.clear()

    def _changed(self, _: object) -> None:
        self._written += 1

    @property
    def stop(self) -> int:
        """Changes when a program ran; each inferior has its own, and each of its checkpoints, which
        are other processes."""
        inferior = gdb.selected_inferior()
        process = inferior.num, inferior.pid
        if process not in self._stops:
            self._newest_stop += 1
            self._stops[process] = self._newest_stop
        return self._stops[process]

    @property
    def contents_version(self) -> tuple[int, int, int]:
        """Changes with the stop, when a register or memory was written at one, and when a command
        was interrupted."""
        return self.stop, self._written, interruptions().count

    @property
    def stops_unseen(self) -> bool:
        """Return whether the program may have moved since GDB's last event.

        No event reports a stop for the condition of a breakpoint, nor the continuation: for the
        user it runs all the time, until the event of its next stop has come: functions for that
        event may be called before ours. None reports `record goto` or `return` either.
        """
        return self._may_move_unseen() or self._is_popped()

    def _may_move_unseen(self) -> bool:
        """Return whether the program moves without events, so that each command reads again."""
        if self._read_while_running == self.stop:
            return True
        thread = selected_thread()
        return thread is not None and (bool(thread.is_running()) or _is_recorded())

    def _is_popped(self) -> bool:
        """Return whether the selected thread has another newest frame than at its last command:
        `return` writes its registers."""
        thread = selected_thread()
        before = None if thread is None else self._newest_frames.get(thread.global_num)
        return before is not None and before != gdb.newest_frame()

    def forget_reads(self) -> None:
        """Forget everything read before, at the beginning of each command, if it may be changed."""
        if self._may_move_unseen():
            self._written += 1
            self._read_while_running = self.stop
            return
        if self._is_popped():
            self._written += 1
        thread = selected_thread()
        if thread is not None:
            self._newest_frames[thread.global_num] = gdb.newest_frame()

    def apertures_of(self, wave: WaveId) -> Apertures:
        """Return the defaults: GDB does not report those of an agent."""
        return NO_APERTURES

    def architecture_of(self, wave: WaveId) -> Architecture:
        """Return that of the thread; without a running program, that of the program (wave 0)."""
        version, names = self._architectures
        if version != self.contents_version:
            names = {}
            self._architectures = self.contents_version, names
        if wave not in names:
            names[wave] = _wave_architecture(wave)
        return names[wave]

    def lacks_register(self, wave: WaveId, register: RegisterId) -> bool:
        """Return whether GDB has no register of that name
        (`dwarfgpu.machine.target.Extensible`)."""
        version, registers = self._lacking
        if version != self.contents_version:
            registers = {}
            self._lacking = self.contents_version, registers
        if (wave, register.name) not in registers:
            registers[wave, register.name] = _is_lacking(wave, register)
        return registers[wave, register.name]

    def read_register(
        self,
        wave: WaveId,
        register: RegisterId,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        register_bytes = _size_bytes(register)
        end = register_bytes if size_bytes is None else offset_bytes + size_bytes
        _require_within(register, offset_bytes, end)
        version, registers = self._registers
        if version != self.contents_version:
            registers = {}
            self._registers = self.contents_version, registers
        if (wave, register.name) not in registers:
            registers[wave, register.name] = _newest_register(wave, register)
        data = registers[wave, register.name]
        if isinstance(data, str):
            raise Unavailable(data)
        return data[offset_bytes:end]

    def write_register(
        self, wave: WaveId, register: RegisterId, data: bytes, offset_bytes: int = 0
    ) -> None:
        _require_within(register, offset_bytes, offset_bytes + len(data))
        old = self.read_register(wave, register)
        new = old[:offset_bytes] + data + old[offset_bytes + len(data) :]
        self._changed(None)  # no event may report it
        with _newest_frame(wave) as frame:
            frame.select()
            for target, number in _assignments(frame, register, new):
                # In C, whatever the language of the program: others assign with `:=`.
                said(f"with language c -- set var {target} = {number:#x}")

    def read_memory(self, where: Memory, address: int, size_bytes: int) -> bytes:
        if not size_bytes:
            return b""
        if where.space.number:
            self._for_each_recording(Reads.fail)
            with _focused(where):
                return space_bytes(where.space, address, size_bytes)
        try:
            data = bytes(gdb.selected_inferior().read_memory(address, size_bytes))
        except (gdb.error, OverflowError):
            self._for_each_recording(Reads.fail)
            raise Unavailable(f"cannot access memory at address {address:#x}") from None
        if len(data) != size_bytes:
            raise Unavailable(f"GDB read {len(data)} of {size_bytes} bytes at {address:#x}")
        self._for_each_recording(lambda reads: reads.add(address, data))
        return data

    def is_unreadable(self, where: Memory, address: int, size_bytes: int) -> bool:
        """Return whether no byte of a range can be read: `access.coalesced_reads.IsUnreadable`."""
        return not where.space.number and is_unmapped(gdb.selected_inferior(), address, size_bytes)

    @contextmanager
    def recorded(self) -> Iterator[Reads]:
        """Record the reads of memory within the block."""
        reads = Reads()
        self._recording.append(reads)
        try:
            yield reads
        finally:
            self._recording.remove(reads)

    def uses(self, inner: Reads) -> None:
        """Note that a cached result is used again, which depends on these reads."""
        self._for_each_recording(lambda reads: reads.join(inner))

    def _for_each_recording(self, update: Callable[[Reads], None]) -> None:
        for reads in self._recording:
            update(reads)

    def write_memory(self, where: Memory, address: int, data: bytes) -> None:
        if not data:
            return
        if where.space.number:
            with _focused(where):
                write_space(where.space, address, data)
            return
        self.read_memory(
            where, address, len(data)
        )  # all or nothing: GDB writes the first bytes, and then fails
        try:
            gdb.selected_inferior().write_memory(address, data)
        except (gdb.MemoryError, OverflowError):
            raise Unavailable(f"cannot write memory at address {address:#x}") from None
        except gdb.error as error:  # a setting forbids it, as `set may-write-memory off`
            raise UsageError(" ".join(str(error).split())) from None

    def thread_local_address(self, wave: WaveId, path: str, name: str) -> int | None:
        """Ask GDB, which asks the program's thread library: `machine.target.ThreadLocal`."""
        symbol = only_variable(path, name)
        if symbol is None:
            return None
        with _newest_frame(wave) as frame:
            value = symbol.value(frame) if symbol.needs_frame else symbol.value()
            address = address_of(value)
        return None if address is None else int(address)

    def thread_local_block(self, wave: WaveId, path: str, thread_pointer: int) -> int | None:
        """Ask the dynamic linker's tables: `machine.target.ThreadBlocks`."""
        blocks = self.thread_blocks()
        return None if blocks is None else blocks.block(path, thread_pointer)

    def thread_local_module(self, path: str) -> int | None:
        """Ask the dynamic linker's tables: `machine.target.ThreadModules`."""
        blocks = self.thread_blocks()
        return None if blocks is None else blocks.module(path)


def _is_recorded() -> bool:
    """Return whether GDB records the execution of the program, and can go to another time."""
    return gdb.current_recording() is not None


def _wave_architecture(wave: WaveId) -> Architecture:
    inferior = gdb.selected_inferior()
    if wave not in ([thread.global_num for thread in inferior.threads()] or [0]):
        raise Unavailable(f"GDB has no thread {wave}")
    if not wave:
        return architecture_named(inferior.architecture().name())
    with _newest_frame(wave) as frame:
        return frame_architecture(frame)


def frame_architecture(frame: gdb.Frame) -> Architecture:
    """Return the architecture of a frame; `Unsupported` if dwarfgpu does not support it."""
    name = frame.architecture().name()
    return wave_architecture(frame) if is_gpu(name) else architecture_named(name)


def architecture_named(name: str) -> Architecture:
    """Return the architecture for a name of GDB; `Unsupported` if dwarfgpu does not have it."""
    try:
        return architecture(name)
    except UsageError:
        raise Unsupported(f"GDB's architecture {name}") from None


def selected_wave() -> WaveId | None:
    """Return the selected thread; None without a program. `UsageError` while it runs."""
    thread = selected_thread()
    if thread is not None and thread.is_running():
        try:  # while GDB decides whether to stop, its thread counts as running, but is readable
            gdb.newest_frame()
        except gdb.error as error:
            raise UsageError(str(error)) from None
    return None if thread is None else int(thread.global_num)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Restore GDB's thread and frame in all cases."""
    thread, lane = selected_thread(), selected_lane()
    if thread is None:
        yield
        return
    try:
        frame = gdb.selected_frame()
    except gdb.error:  # the thread runs
        frame = None
    try:
        yield
    finally:
        _restore(thread, lane, frame)


@contextmanager
def _newest_frame(wave: WaveId) -> Iterator[gdb.Frame]:
    """Yield the newest frame of a thread, selected or not; afterwards GDB is where it was."""
    before, lane = selected_thread(), selected_lane()
    threads = [thread for thread in gdb.selected_inferior().threads() if thread.global_num == wave]
    if before is None or not threads:
        named = f"GDB has no thread {wave}: " if wave else ""  # 0 is what no program runs as
        raise Unavailable(f"{named}the program is not being run")
    frame = None
    try:
        frame = gdb.selected_frame()
        if threads[0].global_num != before.global_num:
            threads[0].switch()
        yield gdb.newest_frame()
    except gdb.error as error:
        raise Unavailable(f"thread {wave}: {gdb_message(error)}") from None
    finally:
        _restore(before, lane, frame)


def _newest_register(wave: WaveId, register: RegisterId) -> bytes | str:
    """Return a register of the newest frame of a thread, or why it is unknown."""
    try:
        with _newest_frame(wave) as frame:
            data = frame_register(frame, register)
    except Unavailable as error:
        return error.message
    return f"GDB does not provide register {register} of thread {wave}" if data is None else data


def _is_lacking(wave: WaveId, register: RegisterId) -> bool:
    """Return whether GDB's description of a thread's processor lacks the register."""
    try:
        with _newest_frame(wave) as frame:
            frame.read_register(register.name)
    except ValueError:  # an unknown name
        return True
    except Unavailable:  # there is no thread, or GDB cannot read the register
        return False
    return False


@contextmanager
def _focused(where: Memory) -> Iterator[None]:
    """Select the wave and lane of a memory temporarily."""
    if where.wave is None:
        with lane_selected(where.lane):
            yield
        return
    with _newest_frame(where.wave), lane_selected(where.lane):
        yield


def _restore(thread: gdb.InferiorThread, lane: int | None, frame: gdb.Frame | None) -> None:
    now = selected_thread()
    if thread.is_valid() and (now is None or now.global_num != thread.global_num):
        thread.switch()
    select_lane(lane)
    if frame is not None and frame.is_valid() and gdb.selected_frame() != frame:
        frame.select()


def frame_register(frame: gdb.Frame, register: RegisterId) -> bytes | None:
    """Return the register as GDB unwinds it for a frame, in dwarfgpu's size; None if its value is
    lost.

    `Unavailable` if GDB has no such register or cannot read it.
    """
    try:
        value = frame.read_register(register.name)
        if value.is_optimized_out:
            return None
        data = value_bytes(value, register.type.endian)
    except (ValueError, gdb.error) as error:
        raise Unavailable(f"register {register}: {gdb_message(error)}") from None
    return _resized(data, register)


def _size_bytes(register: RegisterId) -> int:
    return (register.size_bits + 7) // 8


def _require_within(register: RegisterId, offset_bytes: int, end: int) -> None:
    if not 0 <= offset_bytes <= end:
        raise OutOfRange(f"bytes {offset_bytes} to {end} of register {register}")
    if end > _size_bytes(register):
        raise OutOfRange(f"byte {end - 1} is outside register {register}")


def _resized(data: bytes, register: RegisterId) -> bytes:
    """Return GDB's bytes in the size that DWARF gives the register.

    GDB has 4 bytes for eflags (the upper half of rflags is reserved and 0) and for selectors, whose
    upper bytes are not part of the register.
    """
    size_bytes = _size_bytes(register)
    if len(data) == size_bytes:
        return data
    if len(data) < size_bytes and register.register_class == "vector":
        raise Unavailable(
            f"GDB provides {len(data)} of the {size_bytes} bytes of register {register}"
        )
    endian = register.type.endian
    mask = (1 << 8 * size_bytes) - 1
    return (int.from_bytes(data, endian) & mask).to_bytes(size_bytes, endian)


def _assignments(frame: gdb.Frame, register: RegisterId, data: bytes) -> Iterator[tuple[str, int]]:
    """Yield the assignments to parts of a register that store the bytes."""
    endian = register.type.endian
    name = f"${register.name}"
    kind = frame.read_register(register.name).type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_UNION:
        for view in kind.fields():
            element = view.type.strip_typedefs()
            if element.code != gdb.TYPE_CODE_ARRAY:
                continue
            first, last = element.range()
            width = element.target().sizeof
            is_integer = element.target().strip_typedefs().code == gdb.TYPE_CODE_INT
            if is_integer and width <= _WRITABLE_BYTES and (last + 1 - first) * width == len(data):
                for index in range(first, last + 1):
                    part = data[(index - first) * width : (index - first + 1) * width]
                    yield f"{name}.{view.name}[{index}]", int.from_bytes(part, endian)
                return
    if kind.code == gdb.TYPE_CODE_ARRAY and kind.target().sizeof <= _WRITABLE_BYTES:
        width = kind.target().sizeof  # a vector register of a wave: an element of each lane
        for index in range(len(data) // width):
            part = data[index * width : (index + 1) * width]
            yield f"{name}[{index}]", int.from_bytes(part, endian)
        return
    number = int.from_bytes(data, endian)
    is_scalar = kind.code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_FLAGS)
    if not is_scalar or number >> 8 * min(kind.sizeof, _WRITABLE_BYTES):
        raise Unavailable(f"cannot pass to GDB the {len(data)} bytes of register {register}")
    yield name, number


def frame_cfa(frame: gdb.Frame) -> int:
    """Return the Canonical Frame Address by GDB's unwinder.

    Python has no function for it. The id of the frame contains it, for inlined frames that of the
    function into which they are inlined. `Unavailable` if GDB does not know it.
    """
    match = _STACK_OF_ID.search(_frame_id_text(frame))
    if match is None:
        raise Unavailable("GDB does not provide the canonical frame address")
    return int(match[1], 16)


def _frame_id_text(frame: gdb.Frame) -> str:
    """Return what GDB prints about the id of a frame: `info frame` would look for all registers in
    all newer frames."""
    before = gdb.selected_frame()
    try:
        frame.select()
        return said("maintenance print frame-id")
    except gdb.error as error:
        raise Unavailable(f"the canonical frame address: {gdb_message(error)}") from None
    finally:
        before.select()


def symbol_text(address: int) -> str | None:
    """Return `g+40`, by GDB's own rules; None if GDB has no name for it."""
    try:
        number = gdb.Value(address)  # its type is of every language: Rust has no void
        pointer = number.cast(number.type.pointer())
        _, _, symbol = pointer.format_string(symbols=True, raw=True).partition(" <")
    except (gdb.error, OverflowError):
        return None
    return symbol.removesuffix(">") or None
