"""The public names of dwarfgpu: the library for scripts (`docs/library.md`).

`import dwarfgpu` loads this module when one of them is first used.
"""

from typing import TYPE_CHECKING

from dwarfgpu.access.one_lane import ScalarAccess
from dwarfgpu.arch.model import AddressSpace, Architecture, RegisterInfo
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.float_format import (
    BFLOAT16,
    BINARY16,
    BINARY32,
    BINARY64,
    BINARY128,
    X87_EXTENDED,
    FloatFormat,
)
from dwarfgpu.base.limits import FileLimits, Limits
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.coverage.coverage import Coverage, coverage_of
from dwarfgpu.dwarf.coverage.find_variables import Wanted, find_variables
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.types import Type
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
from dwarfgpu.expr.context import Context, Frame, Unit, UnitFormat
from dwarfgpu.expr.decode import decode
from dwarfgpu.expr.dialect.dialect import Dialect, dialect
from dwarfgpu.expr.evaluate import Step, evaluate, evaluate_attribute
from dwarfgpu.expr.explicit_context import ExplicitFrame, ExplicitUnit
from dwarfgpu.expr.text.assembly import assemble, disassemble
from dwarfgpu.language import Options as SourceOptions
from dwarfgpu.language import TypedValue, format_source
from dwarfgpu.language import evaluate as evaluate_source
from dwarfgpu.language import type_of as source_type
from dwarfgpu.language.code_positions import (
    CodePosition,
    LineEntry,
    SourcePosition,
    code_places,
    line_entries,
    place_at,
)
from dwarfgpu.machine.core.load import Core, load_core
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.state.loaded_state import State, WaveState
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import Target
from dwarfgpu.model.location import ImplicitPointerValue, Location, SingleLocation
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Memory, Register
from dwarfgpu.model.value import Value
from dwarfgpu.session.read_lanes import LaneAnswers, evaluate_in_lanes, read_lanes, sessions_of
from dwarfgpu.session.reading import Reading
from dwarfgpu.session.stack_frames import StackFrame, stack_frames
from dwarfgpu.view.location_text import location_text

if TYPE_CHECKING:  # what `focused`, `stack_frames` and the others return is a session like it
    from dwarfgpu.session.session import Session
else:
    from dwarfgpu.language.presented_session import Session

__all__ = [
    "BFLOAT16",
    "BINARY16",
    "BINARY32",
    "BINARY64",
    "BINARY128",
    "X87_EXTENDED",
    "AddressSpace",
    "Architecture",
    "BaseType",
    "Bits",
    "CodeObject",
    "CodePosition",
    "Context",
    "Core",
    "Coverage",
    "Dialect",
    "DwarfGpuError",
    "EvaluationError",
    "ExplicitFrame",
    "ExplicitUnit",
    "FileLimits",
    "FloatFormat",
    "Frame",
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
    "OutOfRange",
    "Reading",
    "Register",
    "RegisterInfo",
    "ScalarAccess",
    "Session",
    "SingleLocation",
    "SourceOptions",
    "SourcePosition",
    "StackFrame",
    "StaleLocation",
    "State",
    "StateTarget",
    "Step",
    "Target",
    "Type",
    "TypedValue",
    "Unavailable",
    "UndefinedBits",
    "Unit",
    "UnitFormat",
    "Unsupported",
    "UsageError",
    "Value",
    "Variable",
    "Wanted",
    "WaveState",
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
    "location_text",
    "place_at",
    "read_lanes",
    "sessions_of",
    "source_type",
    "stack_frames",
]
