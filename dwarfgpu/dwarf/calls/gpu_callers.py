"""Determine whether s[30:31] of an AMD GPU wave hold a return address, and for which function.

Law: a return address follows a call in loaded code, and cannot result from a call that the function
itself made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from dwarfgpu.arch.amdgpu import is_call
from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.records import frozen
from dwarfgpu.cfi.call_stack import End
from dwarfgpu.cfi.calling_convention import Convention
from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.loaded_code import code_object_at
from dwarfgpu.dwarf.scope.cover_index import CoverIndex
from dwarfgpu.dwarf.scope.scope_entries import code_ranges
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.symbols import Symbol

if TYPE_CHECKING:
    from dwarfgpu.cfi.saved_register_rules import SavedRegisterRules
    from dwarfgpu.cfi.saved_registers import SavedRegisterAnalysis

_CALL_BYTES: Final = 4
_NO_ADDRESS: Final = 1 << 64
_NOWHERE: Final = "the function"
_UNTOLD: Final = "and there is no call frame information for its own return address"


@frozen
class _Function:
    name: str
    entry: int
    """Its first instruction, as loaded."""
    size_bytes: int
    """Of its code; 0 if that is unknown."""


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
        saved = None if function is None else self._saved(function, location)
        return Convention(self.architecture, name, at_entry, saved)

    def after_call(self) -> Convention:
        """Return the calling convention for the caller where no instruction was executed."""
        return Convention(self.architecture, _NOWHERE, True)

    def caller(self, frame: CfiFrame) -> int | End:
        """Return the program location to which a frame returns if only the convention can say so,
        or the reason why there is none."""
        function = self._function(frame.location)
        if function is None:
            return self._caller_of_wild_call(frame)
        if self._is_kernel(function):
            return End(True, f"outermost: {function.name} is a kernel")
        convention = frame.convention
        is_found = convention is not None and convention.knows_return_address
        if frame.level and not is_found:
            return _unknown(f"{function.name} has made a call, which changed s[30:31], {_UNTOLD}")
        text = "s[30:31]" if convention is None else convention.return_address_text
        try:
            address = frame.return_address()
        except DwarfGpuError as error:
            return _unknown(f"{text}: {error}")
        if address is None or not self._follows_call(address):
            if is_found and text != "s[30:31]":
                return _unknown(f"{text}: {address or 0:#x} does not follow a call")
            return _unknown(
                f"s[30:31] of {function.name} hold {address or 0:#x}, which does not follow a call"
            )
        at_entry = frame.pc == function.entry
        if not is_found and not at_entry and self._function(address - _CALL_BYTES) == function:
            return _unknown(
                f"s[30:31] hold {address:#x}, to which a call of {function.name} itself returns, "
                f"{_UNTOLD}"
            )
        return address

    def _caller_of_wild_call(self, frame: CfiFrame) -> int | End:
        """Return where a call returns that has led to where no code is."""
        unknown = f"no function is known at pc {frame.pc:#x}"
        convention = frame.convention
        if convention is None or not convention.is_at_entry:
            return _unknown(unknown)
        try:
            address = frame.return_address()
        except DwarfGpuError as error:
            return _unknown(f"{unknown}, s[30:31]: {error}")
        if address is None or not self._follows_call(address):
            text = f"s[30:31] hold {address or 0:#x}, which does not follow a call"
            return _unknown(f"{unknown}, {text}")
        return address

    def _saved(self, function: _Function, location: int) -> SavedRegisterRules | None:
        """Return where the machine code keeps registers of the caller; None for a kernel, and
        where the code is not known or not understood."""
        code_object = code_object_at(self.code_objects, function.entry)
        if code_object is None or not function.size_bytes or _is_kernel_in(code_object, function):
            return None
        bias = code_object.load_address
        analysis = _analysis(
            code_object,
            self.architecture.name,
            self.architecture.lane_count,
            function.entry - bias,
            function.size_bytes,
        )
        saved = None if analysis is None else analysis.at(location - bias)
        if saved is None:
            return None
        from dwarfgpu.cfi.saved_register_rules import SavedRegisterRules  # few ask for it

        return SavedRegisterRules(self.architecture, saved)

    def _function(self, location: int) -> _Function | None:
        code_object = code_object_at(self.code_objects, location)
        return None if code_object is None else _function_in(code_object, location)

    def _is_kernel(self, function: _Function) -> bool:
        code_object = code_object_at(self.code_objects, function.entry)
        return code_object is not None and _is_kernel_in(code_object, function)

    def _follows_call(self, address: int) -> bool:
        return follows_call(self.code_objects, self.architecture, address)


def follows_call(
    code_objects: Sequence[CodeObject], architecture: Architecture, address: int
) -> bool:
    """Return whether the instruction before a program location calls, with s[30:31]; False for
    other machines than AMD GPUs."""
    call = address - _CALL_BYTES
    code_object = code_object_at(code_objects, call)
    if architecture.machine != "AMDGPU" or code_object is None or address % _CALL_BYTES:
        return False
    data = code_object.file.memory_bytes(call - code_object.load_address, _CALL_BYTES)
    return data is not None and is_call(architecture, int.from_bytes(data, "little"))


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
    bias, start, size_bytes = code_object.load_address, None, 0
    try:
        subprogram = code_object.scopes.subprogram_at(location)
        if subprogram is not None:
            start, size_bytes = _beginning(subprogram.die)
    except DwarfGpuError:
        subprogram = start = None
    if subprogram is not None and start is not None:
        return _Function(subprogram.name, start + bias, size_bytes)
    number = _sized_functions(code_object.file).last_at(location - bias)
    if number is None:
        return None
    symbol = code_object.file.symbols[number]
    return _Function(symbol.name, symbol.address + bias, symbol.size_bytes)


@kept_with(lambda die: die.unit)  # each wave in it asks, and a function may have many ranges
def _beginning(die: Die) -> tuple[int | None, int]:
    """Return DW_AT_low_pc of a function and the size of the range there; 0 if none begins there."""
    start, spans = die.address(dw.AT_LOW_PC), code_ranges(die)
    return start, next((end - begin for begin, end in spans if begin == start), 0)


@kept_with(first)
def _sized_functions(file: ObjectFile) -> CoverIndex:
    """Return the numbers of the functions of a symbol table by their code, the first one last."""
    return CoverIndex(_numbered_functions(file.symbols))


def _numbered_functions(symbols: Sequence[Symbol]) -> Iterator[tuple[int, int, int]]:
    for number in range(len(symbols) - 1, -1, -1):
        symbol = symbols[number]
        if symbol.kind == "function" and symbol.section:
            end = min(symbol.address + symbol.size_bytes, _NO_ADDRESS)
            yield symbol.address, end, number


def _is_kernel_in(code_object: CodeObject, function: _Function) -> bool:
    from dwarfgpu.objfile.gpu_code import kernel_entries  # few sessions ask for it

    return function.entry - code_object.load_address in kernel_entries(code_object.file)


@kept_with(lambda code_object, *_: code_object.file, 64)
def _analysis(
    code_object: CodeObject, processor: str, wave_size: int, entry: int, size_bytes: int
) -> SavedRegisterAnalysis | None:
    """Return the analysis of a function; None if its code is not in the file."""
    from dwarfgpu.cfi.called_functions import CalledFunctions  # few sessions ask for it

    bias, file = code_object.load_address, code_object.file

    def code_at(address: int) -> bytes | None:
        function = _function_in(code_object, address + bias)
        if function is None or function.entry - bias != address:
            return None
        return file.memory_bytes(address, function.size_bytes)

    code = file.memory_bytes(entry, size_bytes)
    try:
        callees = CalledFunctions(processor, wave_size, code_at)
        return None if code is None else callees.analysis(code, entry)
    except DwarfGpuError:
        return None
