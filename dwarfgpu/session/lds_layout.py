"""What is known of variables in LDS that upstream clang does not describe: which, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dwarfgpu.base.kept_with import kept_with
from dwarfgpu.dwarf.calls.kernel_parameters import is_function_of
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.declarations import around
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.dwarf.scope.variable import Variable, variables_below
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.bind import prepare
from dwarfgpu.expr.context import ExprLoc
from dwarfgpu.expr.segments import has_zero_offset
from dwarfgpu.session.frame import SubprogramFrame

if TYPE_CHECKING:
    from dwarfgpu.objfile.gpu_code import GpuKernel


def is_alone_in_lds(variable: Variable, frame: SubprogramFrame) -> bool:
    """Return whether a variable that the kernel of a frame declares has all of the LDS that the
    kernel asks for: it then begins at offset 0, as upstream clang writes of every variable."""
    kernel = frame.subprograms.outermost
    if variable.kind != "local" or frame.code_object is None or kernel is None:
        return False
    if kernel.die not in around(variable.die):
        return False
    size, lds_bytes = size_bits(variable.type), _lds_bytes(frame.code_object, kernel)
    return size is not None and lds_bytes is not None and 8 * lds_bytes <= size


def why_perhaps_in_lds(frame: SubprogramFrame) -> str | None:
    """Return why a variable that upstream clang describes in private memory, at the address in a
    register, may be in LDS: LLVM moves variables there, of kernels alone (AMDGPUPromoteAlloca), and
    leaves their descriptions. None where nothing was moved.
    """
    kernel = frame.subprograms.outermost
    if frame.code_object is None or kernel is None:
        return "the kernel is unknown"
    return _why_perhaps_moved(frame.code_object, kernel)


@kept_with(lambda code_object, *_: code_object.file)  # every lane asks
def _why_perhaps_moved(code_object: CodeObject, function: Subprogram) -> str | None:
    from dwarfgpu.objfile.gpu_code import read_gpu_code  # few sessions ask for it

    try:
        code = read_gpu_code(code_object.file)
        kernel = _kernel(code_object, function)
        if kernel is None:
            are_all_known = all(kernel.entry is not None for kernel in code.kernels)
            is_known = not code.problems and are_all_known
            return None if is_known else f"it is unknown whether {function.name} is a kernel"
        if kernel.lds_bytes is None:
            return f"it is unknown how much LDS {function.name} has"
        declared_bytes = _declared_bytes(function)
    except DwarfGpuError as error:
        return f"it is unknown how much LDS {function.name} has: {error}"
    if kernel.lds_bytes <= declared_bytes:
        return None
    lds = f"the {kernel.lds_bytes} bytes of LDS of {function.name}"
    return f"of {lds}, its variables take {declared_bytes}"


def _declared_bytes(kernel: Subprogram) -> int:
    """Return the size of the variables in LDS that a kernel declares, without padding."""
    sizes: dict[int, int] = {}
    for variable in variables_below(kernel.die):
        location, unit = variable.location, variable.unit
        if isinstance(location, ExprLoc):
            program = prepare(location.expression, unit.dialect, unit.format)
            if has_zero_offset(program.instructions, unit):
                *_, declared = variable.die.origins()
                sizes[declared.offset] = (size_bits(variable.type) or 0) // 8
    return sum(sizes.values())


@kept_with(lambda code_object, *_: code_object.file)  # every lane asks
def _lds_bytes(code_object: CodeObject, function: Subprogram) -> int | None:
    """Return the LDS that a kernel asks for; None for another function."""
    kernel = _kernel(code_object, function)
    return None if kernel is None else kernel.lds_bytes


def _kernel(code_object: CodeObject, function: Subprogram) -> GpuKernel | None:
    """Return the kernel that a function is; None for another function."""
    from dwarfgpu.objfile.gpu_code import read_gpu_code  # few sessions ask for it

    entries = [item.begin - code_object.load_address for item in function.ranges]
    kernels = read_gpu_code(code_object.file).kernels
    beginning = [kernel for kernel in kernels if kernel.entry in entries]
    own = (kernel for kernel in beginning if is_function_of(function, kernel))
    return next(own, beginning[0] if beginning else None)
