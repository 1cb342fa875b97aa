"""dwarfgpu: an exact, explainable engine for DWARF on heterogeneous machines.

The public names are those of `dwarfgpu.api`, which is loaded when one of them is first used, so
that importing one module of the package costs no more than that module.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dwarfgpu.api import *  # noqa: F403

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    # `from dwarfgpu import base` asks here first: a module of the package is no public name.
    if name.startswith("_") or find_spec(f"dwarfgpu.{name}") is not None:
        raise AttributeError(f"module 'dwarfgpu' has no attribute {name!r}")
    api = import_module("dwarfgpu.api")
    if name not in api.__all__:
        raise AttributeError(f"module 'dwarfgpu' has no attribute {name!r}")
    found: object = getattr(api, name)
    return found


def __dir__() -> list[str]:
    return sorted([*import_module("dwarfgpu.api").__all__, "__version__"])
