"""dwarfgpu for scripts inside GDB.

`Debugger().session().variable("x")` is what DWARF says of `x`, and `read` of it what it holds;
`evaluate("s->x[1] + 1")` is the value of an expression.
"""

from dwarfgpu.gdb_session import Debugger, GdbSession, print_options

__all__ = ["Debugger", "GdbSession", "print_options"]
