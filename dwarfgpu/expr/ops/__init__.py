"""The operations, one file per section A.2.5.4.x of the AMD text; importing declares them.

What an operation makes decides: `memory` has DW_OP_addr, breg and fbreg, `register` only reg and
regx, `implicit` DW_OP_stack_value, `composite` piece and overlay, `special_value` deref and
entry_value, `general` push_object_address and what works on any location. `vendor` is of GNU.
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
