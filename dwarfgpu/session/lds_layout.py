"""What is known of where variables are in LDS, which upstream clang does not describe."""

from __future__ import annotations

from dwarfgpu.base.kept_with import kept_with
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.declarations import around
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.session.frame import SubprogramFrame


def is_alone_in_lds(variable: Variable, frame: SubprogramFrame) -> bool:
    """Return whether a variable that the kernel of a frame declares has all of the LDS that the
    kernel asks for: it then begins at offset 0, as upstream clang writes of every variable."""
    if variable.kind != "local" or frame.code_object is None or not frame.subprograms:
        return False
    kernel = frame.subprograms[-1]
    if kernel.die not in around(variable.die):
        return False
    size, lds_bytes = size_bits(variable.type), _lds_bytes(frame.code_object, kernel)
    return size is not None and lds_bytes is not None and 8 * lds_bytes <= size


@kept_with(lambda code_object, *_: code_object.file)  # every lane asks
def _lds_bytes(code_object: CodeObject, function: Subprogram) -> int | None:
    """Return the LDS that a kernel asks for; None for another function."""
    from dwarfgpu.objfile.gpu_code import read_gpu_code  # few sessions ask for it

    entries = [item.begin - code_object.load_address for item in function.ranges]
    kernels = read_gpu_code(code_object.file).kernels
    return next((kernel.lds_bytes for kernel in kernels if kernel.entry in entries), None)
