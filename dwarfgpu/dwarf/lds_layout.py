"""What is known of variables in LDS that upstream clang does not describe: which, and where; and of
which functions no variable is in private memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.dwarf.calls.kernel_parameters import is_function_of
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.dwarf.scope.variable import Variable, variables_below
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.bind import prepare
from dwarfgpu.expr.context import ExprLoc
from dwarfgpu.expr.segments import has_zero_offset
from dwarfgpu.objfile.elf import ObjectFile

if TYPE_CHECKING:
    from dwarfgpu.objfile.gpu_code import GpuKernel


def is_unplaced(variable: Variable, expression: bytes) -> bool:
    """Return whether an expression of upstream clang describes a variable at the start of LDS,
    where another one may be."""
    return _is_at_start(expression, variable.unit) and not is_alone_in_lds(variable)


def _is_at_start(expression: bytes, unit: CompilationUnit) -> bool:
    dialect = unit.dialect
    if not dialect.upstream_clang:
        return False
    return has_zero_offset(prepare(expression, dialect, unit.format).instructions, unit)


def is_alone_in_lds(variable: Variable) -> bool:
    """Return whether the kernel that declares a variable declares no other one in LDS, and asks for
    no more LDS than its size: it then begins at offset 0, as upstream clang writes of every
    variable."""
    if variable.function is None:
        return False
    kernel = Subprogram(variable.function)
    size, lds_bytes = size_bits(variable.type), _lds_bytes(_file(kernel), kernel)
    if size is None or lds_bytes is None or 8 * lds_bytes > size:
        return False
    return 8 * _declared_bytes(_file(kernel), kernel) == size


def why_perhaps_in_lds(kernel: Subprogram | None) -> str | None:
    """Return why a variable that upstream clang describes in private memory, at the address in a
    register, may be in LDS: LLVM moves variables there, of kernels alone (AMDGPUPromoteAlloca), and
    leaves their descriptions. None where nothing was moved.

    `kernel`: the function of the frame, inlined calls left out.
    """
    return "the kernel is unknown" if kernel is None else _why_perhaps_moved(_file(kernel), kernel)


def why_no_scratch(function: Subprogram | None) -> str | None:
    """Return why no variable of a function is in private memory: the descriptor of the kernel that
    it is says so, else those of all kernels that may call it. None where one may be there.

    `function`: that of the frame, inlined calls left out.
    """
    return None if function is None else _why_no_scratch(_file(function), function)


def why_no_address(function: Subprogram | None) -> str | None:
    """Return why a register of a function does not hold the address of a variable that upstream
    clang describes in private memory; None where it may, also that of one that was moved to
    LDS."""
    why = why_no_scratch(function)
    return None if why is None or why_perhaps_in_lds(function) is not None else why


@kept_with(first)  # every lane asks
def _why_no_scratch(file: ObjectFile, function: Subprogram) -> str | None:
    from dwarfgpu.objfile.gpu_code import read_gpu_code  # few sessions ask for it

    try:
        code = read_gpu_code(file)
        own = _kernels_of(file, function)
    except DwarfGpuError:
        return None
    if own:
        has_none = all(map(_has_no_scratch, own))
        return f"the kernel {function.name} has no scratch memory" if has_none else None
    if code.problems or not code.kernels or any(kernel.entry is None for kernel in code.kernels):
        return None
    if not all(map(_has_no_scratch, code.kernels)):
        return None
    return f"no kernel of the code object of {function.name} has scratch memory"


def _has_no_scratch(kernel: GpuKernel) -> bool:
    descriptor, metadata = kernel.descriptor, kernel.metadata
    if descriptor is None or descriptor.scratch_bytes:
        return False
    is_dynamic = any(map(descriptor.fields.get, ("uses_dynamic_stack", "is_dynamic_callstack")))
    return not is_dynamic and not (metadata is not None and metadata.uses_dynamic_stack)


def _file(function: Subprogram) -> ObjectFile:
    return function.unit.sections.program.loaded


@kept_with(first)  # every lane asks
def _why_perhaps_moved(file: ObjectFile, function: Subprogram) -> str | None:
    from dwarfgpu.objfile.gpu_code import read_gpu_code  # few sessions ask for it

    try:
        code = read_gpu_code(file)
        kernel = _kernel(file, function)
        if kernel is None:
            are_all_known = all(kernel.entry is not None for kernel in code.kernels)
            is_known = not code.problems and are_all_known
            return None if is_known else f"it is unknown whether {function.name} is a kernel"
        if kernel.lds_bytes is None:
            return f"it is unknown how much LDS {function.name} has"
        declared_bytes = _declared_bytes(file, function)
    except DwarfGpuError as error:
        return f"it is unknown how much LDS {function.name} has: {error}"
    if kernel.lds_bytes <= declared_bytes:
        return None
    lds = f"the {kernel.lds_bytes} bytes of LDS of {function.name}"
    return f"of {lds}, its variables take {declared_bytes}"


@kept_with(first)  # each of thousands of variables may ask
def _declared_bytes(file: ObjectFile, kernel: Subprogram) -> int:
    """Return the size of the variables in LDS that a kernel declares, without padding."""
    sizes: dict[int, int] = {}
    for variable in variables_below(kernel.die):
        location = variable.location
        if isinstance(location, ExprLoc) and _is_at_start(location.expression, variable.unit):
            *_, declared = variable.die.origins()
            sizes[declared.offset] = (size_bits(variable.type) or 0) // 8
    return sum(sizes.values())


@kept_with(first)  # every lane asks
def _lds_bytes(file: ObjectFile, function: Subprogram) -> int | None:
    """Return the LDS that a kernel asks for; None for another function."""
    kernel = _kernel(file, function)
    return None if kernel is None else kernel.lds_bytes


def _kernel(file: ObjectFile, function: Subprogram) -> GpuKernel | None:
    """Return the kernel that a function is; None for another function."""
    beginning = _kernels_of(file, function)
    own = (kernel for kernel in beginning if is_function_of(function, kernel))
    return next(own, beginning[0] if beginning else None)


def _kernels_of(file: ObjectFile, function: Subprogram) -> Sequence[GpuKernel]:
    """Return the kernels that begin where a function does: several, where equal code is folded."""
    load_address = function.unit.sections.program.load_address
    kernels = _kernels_by_entry(file)
    beginning = (kernels.get(item.begin - load_address, ()) for item in function.ranges)
    return next(filter(None, beginning), ())


@kept_with(first)  # a file may have thousands
def _kernels_by_entry(file: ObjectFile) -> dict[int | None, list[GpuKernel]]:
    from dwarfgpu.objfile.gpu_code import read_gpu_code  # few sessions ask for it

    kernels: dict[int | None, list[GpuKernel]] = {}
    for kernel in read_gpu_code(file).kernels:
        kernels.setdefault(kernel.entry, []).append(kernel)
    return kernels
