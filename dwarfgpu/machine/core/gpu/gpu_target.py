"""The waves of a core file as a `Target` that reads registers and memory from the save areas.

Law: given and written values override the core; the core file itself never changes. Every
`Unavailable` has a reason: beyond the allocation, not saved, omitted, truncated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from dwarfgpu.arch.amdgpu import GLOBAL, LOCAL, PRIVATE_WAVE
from dwarfgpu.arch.model import Apertures, Architecture, RegisterInfo
from dwarfgpu.base.argument_types import names_wrong_arguments, require_right_arguments
from dwarfgpu.base.arguments import FOREIGN, byte_range, contents, require
from dwarfgpu.errors import (
    LimitExceeded,
    MissingContext,
    Unavailable,
    WhollyUnavailable,
)
from dwarfgpu.machine.core.gpu.gpu_topology import KernelName, machine_of
from dwarfgpu.machine.core.gpu.save_area import saved_register
from dwarfgpu.machine.core.gpu.stop_reasons import pending_reasons, stop_reasons
from dwarfgpu.machine.core.gpu.wave_status import words_of
from dwarfgpu.machine.core.gpu.waves import GpuWave, GpuWaves
from dwarfgpu.machine.core.memory import CoreMemory
from dwarfgpu.machine.core.overrides import overridden, range_of_read, require_inside
from dwarfgpu.machine.sparse_memory import at_requested_address, bytes_of
from dwarfgpu.machine.state.state_target import MAX_ELEMENTS, StateTarget
from dwarfgpu.machine.target import RegisterId, WaveId
from dwarfgpu.machine.topology import Machine
from dwarfgpu.model.storage import Memory

if TYPE_CHECKING:
    from dwarfgpu.machine.core.gpu.faulty_access import FaultyAccess, FunctionCode

MAX_INSTRUCTION_BYTES: Final = 20
_COMPOSED: Final = frozenset({"pc", "status", "state_priv"})
"""Registers whose parts are saved apart."""


def _no_name(descriptor: int) -> None:
    return None


class GpuTarget:
    """The waves of AMD GPUs in a core file."""

    def __init__(
        self,
        waves: GpuWaves,
        memory: CoreMemory,
        kernel_name: KernelName = _no_name,
        function_code: FunctionCode | None = None,
    ) -> None:
        """`memory`: that of the core, completed by the mapped files; `kernel_name` and
        `function_code`: of its code objects, without which kernels have no name and the code at an
        address is one instruction in memory."""
        self.gpu = waves
        self.waves = waves.waves
        self.memory = memory
        self.kernel_name = kernel_name
        self.function_code = function_code or self._code_at
        self._model: Machine | None = None
        self._overrides: dict[Architecture, StateTarget] = {}
        self._host: StateTarget | None = None
        self._apertures: dict[WaveId, Apertures] = {}

    @property
    def stop(self) -> int:
        return sum(override.stop for override in self._overrides.values())

    @property
    def model(self) -> Machine:
        """The topology (`dwarfgpu.machine.target.Modelled`)."""
        if self._model is None:
            self._model = machine_of(self.gpu, self.kernel_name)
        return self._model

    @names_wrong_arguments
    def target_id(self, wave: WaveId, lane: int | None = None) -> str:
        return self.model.target_id(wave, lane)

    @names_wrong_arguments
    def lane_target_ids(self, wave: WaveId, lanes: Iterable[int]) -> list[str]:
        return self.model.lane_target_ids(wave, lanes)

    def used_lanes(self, wave: WaveId) -> int | None:
        try:
            return self.model.used_lanes(wave)
        except FOREIGN:
            require_right_arguments(GpuTarget.used_lanes, self, wave)
            raise

    @names_wrong_arguments
    def faulty_access(self, wave: WaveId) -> FaultyAccess | None:
        """Return the access that a wave failed at; None if it failed for something else."""
        from dwarfgpu.machine.core.gpu.faulty_access import faulty_access  # it decodes instructions

        gpu_wave = self.wave(wave)
        reasons = stop_reasons(self.gpu, gpu_wave) or pending_reasons(self.gpu, gpu_wave)
        return faulty_access(
            self, self.memory, wave, self.gpu.pc(gpu_wave), reasons, self.function_code
        )

    @names_wrong_arguments
    def faulty_lane(self, wave: WaveId) -> int | None:
        """Return the lane that failed (`dwarfgpu.machine.target.Failed`)."""
        access = self.faulty_access(wave) if wave in self.waves else None
        return None if access is None else access.first_lane

    def _code_at(self, pc: int) -> tuple[int, bytes]:
        """Return one instruction in memory; of any generation."""
        return pc, self.memory.first_bytes(pc, MAX_INSTRUCTION_BYTES)

    def wave(self, number: WaveId) -> GpuWave:
        """Return a wave by its number; `Unavailable` for one that does not exist."""
        try:
            if number not in self.waves:
                raise Unavailable(f"wave {number} is not in the core file")
            return self.waves[number]
        except TypeError:
            require_right_arguments(GpuTarget.wave, self, number)
            raise

    def architecture_of(self, wave: WaveId) -> Architecture:
        return self.wave(wave).architecture

    @names_wrong_arguments
    def architecture_of_all(self, waves: Sequence[WaveId]) -> Architecture | None:
        """Return the architecture that waves share
        (`dwarfgpu.machine.target.SharesArchitecture`)."""
        if not all(map(self.waves.__contains__, waves)):
            return None
        architectures = {self.waves[wave].architecture for wave in waves}
        return architectures.pop() if len(architectures) == 1 else None

    def apertures_of(self, wave: WaveId) -> Apertures:
        try:
            apertures = self._apertures.get(wave)
            if apertures is None:
                apertures = self._apertures[wave] = self.gpu.apertures(self.wave(wave))
            return apertures
        except TypeError:
            require_right_arguments(GpuTarget.apertures_of, self, wave)
            raise

    @property
    def has_given_memory(self) -> bool:
        """Whether memory was given or written over that of the core."""
        overrides = (*self._overrides.values(), *([] if self._host is None else [self._host]))
        return any(override.has_memory for override in overrides)

    def given_global_memory(self) -> list[tuple[int, bytes]]:
        """Return the global memory that was given or written over that of the core."""
        out: dict[int, bytes] = {}
        for override in self._overrides.values():
            for name, _, store in override.memories():
                out |= {start: bytes_of(run) for start, run in store.runs() if not name}
        return list(out.items())

    @names_wrong_arguments
    def is_given(self, wave: WaveId, name: str) -> bool:
        """Return whether a register was given or written over that of the core."""
        require("name", name, str)
        override = self._overrides.get(self.wave(wave).architecture)
        return override is not None and name in override.waves.get(wave, {})

    def share_global_memory(self, host: StateTarget) -> None:
        """Share given and written global memory with threads of the process."""
        require("host", host, StateTarget)
        self._host = host

    def given_of(self, wave: WaveId) -> StateTarget:
        """Return the values given or written over a wave and the waves of its architecture."""
        gpu_wave = self.wave(wave)
        override = self._overrides.get(gpu_wave.architecture)
        if override is None:
            override = StateTarget(gpu_wave.architecture)
            same_process = next(iter(self._overrides.values()), self._host)
            if same_process is not None:
                override.share_global_memory(same_process)
            self._overrides[gpu_wave.architecture] = override
        if wave not in override.waves:
            override.add_wave(wave, self.gpu.first + gpu_wave.leader - 1)
            override.wave_apertures[wave] = self.apertures_of(wave)
        return override

    def read_register(
        self,
        wave: WaveId,
        register: RegisterId,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        try:
            gpu_wave = self.wave(wave)
            start, end = range_of_read(register, offset_bytes, size_bytes)
            override = self._overrides.get(gpu_wave.architecture)
            if override is not None and register.name in override.waves.get(wave, {}):
                return override.read_register(wave, register, offset_bytes, size_bytes)
            return self._saved(gpu_wave, wave, register, start, end)
        except FOREIGN:
            require_right_arguments(
                GpuTarget.read_register, self, wave, register, offset_bytes, size_bytes
            )
            raise

    def _saved(
        self, wave: GpuWave, number: WaveId, register: RegisterInfo, offset_bytes: int, end: int
    ) -> bytes:
        """Return bytes of a register as it was saved; `Unavailable` with the reason."""
        name = register.name
        try:
            if name in _COMPOSED:
                data = self._composed(wave, register)
                if data is not None:
                    return data[offset_bytes:end]
            saved = saved_register(wave.layout, wave.saved, name)
            may_lack = (
                register.register_class == "vector" and words_of(wave.layout).gives_vgprs_back
            )
            if may_lack and not self.gpu.hardware(wave).has_vgprs:
                saved = "the wave has deallocated its VGPRs"
            if isinstance(saved, str):
                raise WhollyUnavailable(f"register {name} of wave {number}: {saved}")
            end = min(end, saved.size_bytes)
            return self.gpu.memory.read(saved.address + offset_bytes, end - offset_bytes)
        except WhollyUnavailable:
            raise
        except Unavailable as error:
            raise WhollyUnavailable(
                f"register {name} of wave {number} is not in the core file: {error.message}"
            ) from None

    def _composed(self, wave: GpuWave, register: RegisterInfo) -> bytes | None:
        words = self.gpu.hardware(wave)
        number = (
            words.pc(self.gpu.r_version) if register.name == "pc" else words.shown(register.name)
        )
        return None if number is None else number.to_bytes(register.size_bits // 8, "little")

    @names_wrong_arguments
    def write_register(
        self, wave: WaveId, register: RegisterId, data: bytes, offset_bytes: int = 0
    ) -> None:
        data, override = contents("data", data), self.given_of(wave)
        require_inside(register, offset_bytes, len(data))
        if register.name not in override.waves[wave]:
            try:
                override.set_register(wave, register, self.read_register(wave, register))
            except Unavailable:
                if lacks_register(self.wave(wave), register):
                    raise
        override.set_register(wave, register, data, offset_bytes)

    @names_wrong_arguments
    def forget_register(
        self, wave: WaveId, register: RegisterId, offset_bytes: int, size_bytes: int
    ) -> None:
        """Make bytes of a register that was written unknown again."""
        self.given_of(wave).forget_register(wave, register, offset_bytes, size_bytes)

    def read_memory(self, where: Memory, address: int, size_bytes: int) -> bytes:

        def read(offset: int, count: int) -> bytes:
            return b"".join(self._pieces(where, address + offset, count))

        try:
            if type(address) is not int or type(size_bytes) is not int or size_bytes < 0:
                address, size_bytes = byte_range(address, size_bytes)
            override = self._known_override(where, address, size_bytes)
            return overridden(override, size_bytes, read) if override else read(0, size_bytes)
        except FOREIGN:
            require_right_arguments(GpuTarget.read_memory, self, where, address, size_bytes)
            raise

    def known_memory(self, where: Memory, address: int, size_bytes: int) -> list[tuple[int, bytes]]:
        """Return the known parts of a range that cannot be read whole: offsets in it, and bytes.

        Later items override earlier ones.
        """
        out: list[tuple[int, bytes]] = []
        try:
            if type(address) is not int or type(size_bytes) is not int or size_bytes < 0:
                address, size_bytes = byte_range(address, size_bytes)
            try:
                for start, count, part in self._core_parts(where, address, size_bytes):
                    out += [(start - address + inner, data) for inner, data in part.known(count)]
            except Unavailable:
                pass  # the memory after it is unknown, too
            return out + self._known_override(where, address, size_bytes)
        except FOREIGN:
            require_right_arguments(GpuTarget.known_memory, self, where, address, size_bytes)
            raise

    def _known_override(
        self, where: Memory, address: int, size_bytes: int
    ) -> list[tuple[int, bytes]]:
        if not self.has_given_memory:
            return []
        wave = next(iter(self.waves)) if where.wave is None else where.wave
        return self.given_of(wave).known_memory(where, address, size_bytes)

    def _pieces(self, where: Memory, address: int, size_bytes: int) -> Iterator[bytes]:
        for start, count, part in self._core_parts(where, address, size_bytes):
            try:
                yield part.read(count)
            except Unavailable as error:
                raise at_requested_address(error, where, start, is_same=part.is_global) from None

    def _core_parts(
        self, where: Memory, address: int, size_bytes: int
    ) -> Iterator[tuple[int, int, _CorePart]]:
        """Yield the address and size of each contiguous part of a range, and where it is in the
        core."""
        if where.wave is None:
            wave, arch, apertures = None, next(iter(self.waves.values())).architecture, Apertures()
        else:
            wave, apertures = self.wave(where.wave), self.apertures_of(where.wave)
            arch = wave.architecture
        offset = count = 0
        while offset < size_bytes:
            start = address + offset
            lowered = arch.lower(where.space.number, start, where.lane, apertures)
            size = min(lowered.contiguous_bytes, size_bytes - offset)
            number = lowered.space.number
            if number == GLOBAL:
                is_asked = where.space.number == GLOBAL
                yield start, size, _CorePart(self.memory, lowered.address, is_asked)
            elif wave is None:
                raise MissingContext(
                    f"the context has no thread, and {lowered.space} memory belongs to one"
                )
            elif number == LOCAL:
                base = self.gpu.lds(wave)[0]
                yield start, size, _CorePart(self.gpu.memory, base + lowered.address, False)
            else:
                assert number == PRIVATE_WAVE
                raise Unavailable(self.gpu.scratch(wave).why_unavailable(wave.number))
            offset += size
            count += 1
            if count > MAX_ELEMENTS:
                raise LimitExceeded(
                    f"{size_bytes} bytes of {where.space} memory of a lane are in more than "
                    f"{MAX_ELEMENTS} places"
                )

    @names_wrong_arguments
    def write_memory(self, where: Memory, address: int, data: bytes) -> None:
        data = contents("data", data)
        self.read_memory(where, address, len(data))  # all or nothing
        number = next(iter(self.waves)) if where.wave is None else where.wave
        override = self.given_of(number)
        written = override.without_memory()
        written.set_memory(where, address, data)
        override.replace_memory(written)


class _CorePart:
    """A part of memory in the core."""

    __slots__ = ("_address", "_memory", "is_global")

    def __init__(self, memory: CoreMemory, address: int, is_global: bool) -> None:
        self._memory = memory
        self._address = address
        self.is_global = is_global
        """Whether the address is the requested one."""

    def read(self, size_bytes: int) -> bytes:
        return self._memory.read(self._address, size_bytes)

    def known(self, size_bytes: int) -> list[tuple[int, bytes]]:
        return self._memory.known(self._address, size_bytes)


def lacks_register(wave: GpuWave, register: RegisterInfo) -> bool:
    """Return whether the wave has no such register to write."""
    return isinstance(saved_register(wave.layout, wave.saved, register.name), str)
