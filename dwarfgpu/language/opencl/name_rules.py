"""Names of OpenCL C: `opencl.types` has its types, `opencl.versions` what its versions change."""

from __future__ import annotations

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.types import Pointer, Type
from dwarfgpu.language.name_rules import NameRules
from dwarfgpu.language.opencl.types import opencl_type
from dwarfgpu.language.opencl.versions import has_generic_pointers


class OpenCLNames(NameRules):
    def predeclared(self, name: str) -> Type | None:
        """Return a built-in type (OpenCL C 6.3)."""
        return opencl_type(self.builtins, name)

    def unqualified_pointer(self, pointer: Pointer) -> Pointer:
        """Return the type of a pointer without an address space: to private memory in OpenCL C 1.x
        (6.5), as clang describes it."""
        private = self.session.architecture.address_space_named("private_lane")
        if self.unit is None or private is None:
            return pointer
        if has_generic_pointers(self.unit.sections.program.loaded) is not False:
            return pointer
        size_bytes = private.address_bits // 8
        return evolve(
            pointer, address_space=private.number, size_bytes=size_bytes, is_unqualified=True
        )
