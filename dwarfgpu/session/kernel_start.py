"""Waves at the first instruction of their kernel, where no instruction has set a register yet.

What a wave has then is the ABI's (AMDGPU usage, "Initial Kernel Execution State"); the stack and
frame pointer, s32 and s33, are set by the kernel itself ("Kernel Prolog").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.kept_with import kept_with
from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import DwarfGpuError, Unavailable
from dwarfgpu.machine.sparse_memory import NOT_IN_STATE, NOT_WRITTEN
from dwarfgpu.machine.target import Target, WaveId
from dwarfgpu.machine.topology import Dispatch, model_of

if TYPE_CHECKING:
    from dwarfgpu.objfile.gpu_code import GpuKernel

NOT_RUN: Final = "the wave has not run yet"
_MISSING: Final = pattern(
    rf"register (?P<name>\w+) of wave .* is (?:{NOT_IN_STATE}.*|unknown.*: {NOT_WRITTEN})"
)


class HasCode(Protocol):
    """An object with the code objects of a program."""

    @property
    def code_objects(self) -> tuple[CodeObject, ...]: ...


class Stopped(HasCode, Protocol):
    """A wave of a stopped machine; `dwarfgpu.session.session.Session` is one."""

    @property
    def architecture(self) -> Architecture: ...

    @property
    def target(self) -> Target | None: ...

    @property
    def wave(self) -> WaveId | None: ...

    @property
    def level(self) -> int: ...

    @property
    def pc(self) -> int | None: ...


def at_start(session: Stopped, error: DwarfGpuError) -> DwarfGpuError:
    """Return the error of reading a register that a state lacks; at the first instruction of a
    kernel, with that as its reason."""
    match = _MISSING.fullmatch(error.message) if isinstance(error, Unavailable) else None
    if match is None or not is_before_start(session):
        return error
    problem = Unavailable(f"{NOT_RUN}: nothing has set {match['name']}")
    problem.site, problem.context = error.site, error.context
    return problem


def is_not_run(error: DwarfGpuError | None) -> bool:
    """Return whether an error is that the wave has not run yet."""
    return error is not None and error.message.startswith(NOT_RUN)


def is_before_start(session: Stopped) -> bool:
    """Return whether a wave is at the first instruction of its kernel."""
    machine = model_of(session.target) if session.architecture.is_simt else None
    if machine is None or session.level or session.pc is None or type(session.wave) is not int:
        return False
    dispatch = machine.dispatch_of(session.wave)
    if dispatch is None:
        return False
    try:
        code_object, kernel = kernel_of(session, dispatch)
    except DwarfGpuError:
        return False
    return kernel.start is not None and session.pc == kernel.start + code_object.load_address


def kernel_of(session: HasCode, dispatch: Dispatch) -> tuple[CodeObject, GpuKernel]:
    """Return the kernel that a dispatch runs; `Unavailable` where no code object of the session has
    it."""
    for code_object in session.code_objects:
        if dispatch.kernel_descriptor is None or code_object.file.machine != "AMDGPU":
            continue
        kernel = kernel_at(code_object, dispatch.kernel_descriptor - code_object.load_address)
        if kernel is not None:
            return code_object, kernel
    raise Unavailable(f"no code object has the kernel of dispatch {dispatch.id}")


@kept_with(lambda code_object, *_: code_object.file)  # every lane asks
def kernel_at(code_object: CodeObject, address: int) -> GpuKernel | None:
    """Return the kernel with a descriptor at an address of the file."""
    from dwarfgpu.objfile.gpu_code import read_gpu_code  # few sessions ask for it

    kernels = read_gpu_code(code_object.file).kernels
    return next((kernel for kernel in kernels if kernel.address == address), None)


@kept_with(lambda code_object, *_: code_object.file)
def skipped_bytes_at(code_object: CodeObject, entry: int) -> int:
    """Return how much code at an address of the file waves skip: 0 if it is no kernel's entry."""
    if code_object.file.machine != "AMDGPU":
        return 0
    from dwarfgpu.objfile.gpu_code import read_gpu_code

    for kernel in read_gpu_code(code_object.file).kernels:
        if kernel.entry == entry and kernel.descriptor is not None:
            return kernel.descriptor.skipped_bytes
    return 0
