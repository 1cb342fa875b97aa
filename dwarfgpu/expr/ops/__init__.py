"""The operations, one file per section A.2.5.4.x of the AMD text; importing declares them."""

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
