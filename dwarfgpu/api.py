"""The public names of dwarfgpu: the library for scripts (`docs/library.md`).

`import dwarfgpu` loads this module when one of them is first used.
"""

from dwarfgpu.access import OneLaneAccess
from dwarfgpu.arch import architecture
from dwarfgpu.arch.model import AddressSpace, Architecture, RegisterInfo
from dwarfgpu.backends.core import Core, load_core
from dwarfgpu.backends.state import StateTarget
from dwarfgpu.backends.state_file import load_state
from dwarfgpu.backtrace import StackFrame, stack_frames
from dwarfgpu.basetype import BaseType
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.coverage import Coverage, coverage_of
from dwarfgpu.dwarf.coverage_find import Wanted, find_variables
from dwarfgpu.errors import (
    DwarfGpuError,
    EvaluationError,
    IllFormed,
    InconsistentContext,
    LimitExceeded,
    Malformed,
    MissingContext,
    OutOfRange,
    StaleLocation,
    Unavailable,
    UndefinedBits,
    Unsupported,
    UsageError,
)
from dwarfgpu.expr.context import Context, Frame, Limits, Unit, UnitFormat
from dwarfgpu.expr.decode import decode
from dwarfgpu.expr.dialect import Dialect, dialect
from dwarfgpu.expr.evaluate import Step, evaluate, evaluate_attribute
from dwarfgpu.expr.given import GivenFrame, GivenUnit
from dwarfgpu.expr.text import assemble, disassemble
from dwarfgpu.lane_readings import LaneAnswers, evaluate_in_lanes, read_lanes, sessions_of
from dwarfgpu.language import Options as SourceOptions
from dwarfgpu.language import TypedValue
from dwarfgpu.language import evaluate as evaluate_source
from dwarfgpu.language import format as format_source
from dwarfgpu.language import type_of as source_type
from dwarfgpu.model.location import ImplicitPointerValue, Location, SingleLocation
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Memory, Register
from dwarfgpu.model.value import Value
from dwarfgpu.session import Reading, Session
from dwarfgpu.source_lines import (
    CodePlace,
    LineEntry,
    SourcePosition,
    code_places,
    line_entries,
    place_at,
)
from dwarfgpu.target import Target

__all__ = [
    "AddressSpace",
    "Architecture",
    "BaseType",
    "Bits",
    "CodeObject",
    "CodePlace",
    "Context",
    "Core",
    "Coverage",
    "Dialect",
    "DwarfGpuError",
    "EvaluationError",
    "Frame",
    "GivenFrame",
    "GivenUnit",
    "IllFormed",
    "ImplicitPointerValue",
    "InconsistentContext",
    "LaneAnswers",
    "LimitExceeded",
    "Limits",
    "LineEntry",
    "Location",
    "Malformed",
    "Memory",
    "MissingContext",
    "OneLaneAccess",
    "OutOfRange",
    "Reading",
    "Register",
    "RegisterInfo",
    "Session",
    "SingleLocation",
    "SourceOptions",
    "SourcePosition",
    "StackFrame",
    "StaleLocation",
    "StateTarget",
    "Step",
    "Target",
    "TypedValue",
    "Unavailable",
    "UndefinedBits",
    "Unit",
    "UnitFormat",
    "Unsupported",
    "UsageError",
    "Value",
    "Wanted",
    "architecture",
    "assemble",
    "code_places",
    "coverage_of",
    "decode",
    "dialect",
    "disassemble",
    "evaluate",
    "evaluate_attribute",
    "evaluate_in_lanes",
    "evaluate_source",
    "find_variables",
    "format_source",
    "line_entries",
    "load_core",
    "load_state",
    "place_at",
    "read_lanes",
    "sessions_of",
    "source_type",
    "stack_frames",
]
