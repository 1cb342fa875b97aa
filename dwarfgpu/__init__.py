"""dwarfgpu: an exact, explainable engine for DWARF on heterogeneous machines.

The public names are those of `dwarfgpu.api`, which is loaded when one of them is first used, so
that importing one module of the package costs no more than that module.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dwarfgpu.api import *  # noqa: F403

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    api = None if name.startswith("_") else import_module("dwarfgpu.api")
    if api is None or name not in api.__all__:
        raise AttributeError(f"module 'dwarfgpu' has no attribute {name!r}")
    found: object = getattr(api, name)
    return found
