"""Names of OpenCL C: `opencl.types` has its types."""

from __future__ import annotations

from dwarfgpu.dwarf.types.types import Type
from dwarfgpu.language.name_rules import NameRules
from dwarfgpu.language.opencl.types import opencl_type


class OpenCLNames(NameRules):
    def predeclared(self, name: str) -> Type | None:
        """Return a built-in type (OpenCL C 6.3)."""
        return opencl_type(self.builtins, name)
