"""dwarfgpu: an exact, explainable engine for DWARF on heterogeneous machines.

A variable of a stopped GPU kernel, in some of its lanes:

    >>> from pathlib import Path
    >>> import dwarfgpu as dg
    >>> state = dg.load_state(Path(dg.__file__).parent / "data" / "demo.json")
    >>> objects = [dg.CodeObject.open(each.path, each.load_address) for each in state.code_objects]
    >>> wave = state.waves[0]
    >>> session = dg.Session(
    ...     state.architecture, tuple(objects), state.target, wave=wave.id, pc=wave.pc
    ... )
    >>> t = session.variable("t")
    >>> [session.focused(lane).read(t).value for lane in (0, 1, 63)]
    [320, 321, 383]

Operations, without a program:

    >>> dg.evaluate(dg.assemble("lit4; lit3; mul"), dg.Context(dg.architecture("gfx942"))).bits
    12

Where to start:

    Session           code objects, a machine, and where one looks; its variables
    CodeObject        an ELF file with DWARF; load_state and load_core: stopped machines
    Reading           what is known of a variable: .text, .value, .location, .error
    read_lanes        a variable in all lanes of many waves
    evaluate_source   an expression such as s->at[2].x * 2, as a TypedValue
    stack_frames      the call frames, from the innermost outwards
    line_entries      addresses and source lines; code_places, place_at
    evaluate          operations, in a Context; assemble, disassemble
    find_variables    variables of a file, where they are described: coverage_of
    DwarfGpuError     the base of all errors; the class says whose fault it is

docs/library.md has an example of each. The public names are those of `dwarfgpu.api`, which is
loaded when one of them is first used, so that importing one module of the package costs no more
than that module.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

TYPE_CHECKING = False  # loading `typing` takes longer than all else here: a program begins here
if TYPE_CHECKING:
    from dwarfgpu.api import *  # noqa: F403

__version__ = "0.1.0"


if not TYPE_CHECKING:  # a type checker would take any misspelt name for an object

    def __getattr__(name: str) -> object:
        if name == "__all__":  # of `from dwarfgpu import *`, and of help()
            return list(import_module("dwarfgpu.api").__all__)
        # `from dwarfgpu import base` calls this first: a module is not a public name.
        if name.startswith("_") or find_spec(f"dwarfgpu.{name}") is not None:
            raise AttributeError(f"module 'dwarfgpu' has no attribute {name!r}")
        api = import_module("dwarfgpu.api")
        if name not in api.__all__:
            raise AttributeError(f"module 'dwarfgpu' has no attribute {name!r}")
        public: object = getattr(api, name)
        return public


def __dir__() -> list[str]:
    return sorted([*import_module("dwarfgpu.api").__all__, "__version__"])
