"""Determine whether s[30:31] of an AMD GPU wave hold a return address, and for which function.

Law: a return address follows a call in loaded code, and cannot result from a call that the function
itself made.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from dwarfgpu.arch.amdgpu import is_call
from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.records import frozen
from dwarfgpu.cfi.call_stack import End
from dwarfgpu.cfi.calling_convention import Convention
from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject, code_object_at
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.elf import ObjectFile

_CALL_BYTES: Final = 4
_UNTOLD: Final = "and there is no call frame information for its own return address"


@frozen
class _Function:
    name: str
    entry: int
    """Its first instruction, as loaded."""


@frozen
class GpuCallers:
    """The calling convention, applied to the code objects."""

    code_objects: Sequence[CodeObject]
    architecture: Architecture

    def convention(self, location: int) -> Convention:
        """Return the calling convention for the caller of the function at a program location."""
        function = self._function(location)
        name = "the function" if function is None else function.name
        at_entry = function is not None and function.entry == location
        return Convention(self.architecture, name, at_entry)

    def caller(self, frame: CfiFrame) -> int | End:
        """Return the program location to which a frame returns if only the convention can say so,
        or the reason why there is none."""
        function = self._function(frame.location)
        if function is None:
            return _unknown(f"no function is known at pc {frame.pc:#x}")
        if self._is_kernel(function):
            return End(True, f"outermost: {function.name} is a kernel")
        if frame.level:
            return _unknown(f"{function.name} has made a call, which changed s[30:31], {_UNTOLD}")
        try:
            address = frame.return_address()
        except DwarfGpuError as error:
            return _unknown(f"s[30:31]: {error}")
        if address is None or not self._follows_call(address):
            return _unknown(
                f"s[30:31] of {function.name} hold {address or 0:#x}, which does not follow a call"
            )
        at_entry = frame.pc == function.entry
        if not at_entry and self._function(address - _CALL_BYTES) == function:
            return _unknown(
                f"s[30:31] hold {address:#x}, to which a call of {function.name} itself returns, "
                f"{_UNTOLD}"
            )
        return address

    def _function(self, location: int) -> _Function | None:
        code_object = code_object_at(self.code_objects, location)
        return None if code_object is None else _function_in(code_object, location)

    def _is_kernel(self, function: _Function) -> bool:
        code_object = code_object_at(self.code_objects, function.entry)
        return code_object is not None and _is_kernel_in(code_object, function)

    def _follows_call(self, address: int) -> bool:
        """Return whether the instruction before a program location calls, with s[30:31]."""
        call = address - _CALL_BYTES
        code_object = code_object_at(self.code_objects, call)
        if code_object is None or address % _CALL_BYTES:
            return False
        data = code_object.file.memory_bytes(call - code_object.load_address, _CALL_BYTES)
        return data is not None and is_call(self.architecture, int.from_bytes(data, "little"))


def _unknown(why: str) -> End:
    return End(False, f"{why} (by the calling convention)")


def kernel_in(code_object: CodeObject, location: int) -> str | None:
    """Return the GPU kernel at a program location; None if there is none, or it is unknown."""
    if code_object.file.machine == "CUDA":
        return _cuda_kernel_in(code_object, location)
    if code_object.file.machine != "AMDGPU":
        return None
    try:
        function = _function_in(code_object, location)
        is_kernel = function is not None and _is_kernel_in(code_object, function)
    except DwarfGpuError:
        return None
    return function.name if function is not None and is_kernel else None


def _cuda_kernel_in(code_object: CodeObject, location: int) -> str | None:
    from dwarfgpu.objfile.cuda_code import read_cuda_code  # few files are cubins

    offset = location - code_object.load_address
    for kernel in read_cuda_code(code_object.file).kernels:
        if 0 <= offset - kernel.address < kernel.size_bytes:
            return kernel.name
    return None


def _function_in(code_object: CodeObject, location: int) -> _Function | None:
    """Return the function at a location, by debug information or else by symbols."""
    bias = code_object.load_address
    try:
        symbol_name = code_object.scopes.subprogram_at(location)
        start = None if symbol_name is None else symbol_name.die.address(dw.AT_LOW_PC)
    except DwarfGpuError:
        symbol_name = start = None
    if symbol_name is not None and start is not None:
        return _Function(symbol_name.name, start + bias)
    for symbol in code_object.file.symbols:
        is_here = 0 <= location - bias - symbol.address < symbol.size_bytes
        if symbol.kind == "function" and symbol.section and is_here:
            return _Function(symbol.name, symbol.address + bias)
    return None


def _is_kernel_in(code_object: CodeObject, function: _Function) -> bool:
    return function.entry - code_object.load_address in _kernel_entries(code_object.file)


@lru_cache(8)
def _kernel_entries(file: ObjectFile) -> frozenset[int]:
    """Return where the kernels of a file begin: every wave asks."""
    from dwarfgpu.objfile.gpu_code import read_gpu_code  # few sessions ask for it

    kernels = read_gpu_code(file).kernels
    return frozenset(kernel.entry for kernel in kernels if kernel.entry is not None)
