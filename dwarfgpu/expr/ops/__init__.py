"""The operations, one file per section A.2.5.4.x of the AMD text; importing declares them.

What an operation makes decides: `memory` has DW_OP_addr, breg and fbreg, `register` only reg and
regx, `implicit` DW_OP_stack_value, `composite` piece, extend and overlay, `special_value` deref
and entry_value, `control` bra, skip and call_ref, `general` push_object_address,
LLVM_call_frame_entry_reg and what works on any location. `vendor` is of GNU.
"""

from dwarfgpu.expr.ops import (  # noqa: F401
    arithmetic,
    composite,
    control,
    conversion,
    general,
    implicit,
    literal,
    memory,
    register,
    special_value,
    stack,
    vendor,
)
