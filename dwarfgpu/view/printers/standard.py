"""The default printers."""

from __future__ import annotations

from typing import Final

from dwarfgpu.view.printers.go import GO
from dwarfgpu.view.printers.hip import HIP
from dwarfgpu.view.printers.libcxx import LIBCXX
from dwarfgpu.view.printers.libstdcxx import LIBSTDCXX
from dwarfgpu.view.printers.printer import Printers

STANDARD: Final = Printers((HIP, LIBCXX, LIBSTDCXX, GO))
"""The printers of HIP, libc++, libstdc++ and Go."""
