"""Point to the kernarg segment for kernel arguments without a value at a wave's location.

At its first instruction a kernel has loaded none of them, so that debugging information locates
few.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.types import Struct
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.machine.topology import model_of
from dwarfgpu.service.answer import KERNARG_HINT, Answer
from dwarfgpu.service.value.subject import Subject
from dwarfgpu.session.kernel_start import kernel_of
from dwarfgpu.session.session import Session

IN_KERNARG: Final = "not described here; its value is in the kernarg segment"
"""The text for an argument, instead of that for an optimized out variable."""


def kernarg_hint(session: Session, subject: Subject, answer: Answer | None = None) -> str | None:
    """Return the hint for an argument without a value, or with an incomplete one.

    None for anything else, and if neither the machine nor the code objects know the segment.
    """
    if not isinstance(subject, Variable) or subject.kind != "parameter":
        return None
    if answer is not None and not answer.status:
        return None
    machine = model_of(session.target) if session.architecture.is_simt else None
    dispatch = None if machine is None else machine.dispatch_of(session.wave)
    if dispatch is None or dispatch.kernarg is None:
        return None
    from dwarfgpu.dwarf.calls.kernel_parameters import kernel_function
    from dwarfgpu.language.kernarg_variable import kernel_arguments

    try:
        code_object, kernel = kernel_of(session, dispatch)
        function = kernel_function(code_object, kernel)
        if function is None or subject.die.parent() != function.die:
            return None
        kind = kernel_arguments(session, dispatch).type
    except DwarfGpuError:
        return None
    names = {member.name for member in kind.members} if isinstance(kind, Struct) else set()
    return f"{KERNARG_HINT}$_kernarg{f'.{subject.name}' if subject.name in names else ''}"
