"""Conformance cases for DWARF evaluators, in the open format of `docs/conformance-format.md`.

`case` reads one, `run_case` and `cfi_case` compare what dwarfgpu gives with what it expects.
"""

from dwarfgpu.conformance.case import Case, load_cases
from dwarfgpu.conformance.run_case import Failure, run_case

__all__ = ["Case", "Failure", "load_cases", "run_case"]
