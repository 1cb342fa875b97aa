"""Errors for people and for programs."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.printable import one_line
from dwarfgpu.errors import (
    DwarfGpuError,
    InconsistentContext,
    LimitExceeded,
    MissingContext,
    Unavailable,
    Unsupported,
    UsageError,
    shortened,
)
from dwarfgpu.view.json_object import JsonObject

_UNDESCRIBED: Final = ("has no debugging information", "have no debugging information")
"""What a message says of files without DWARF."""
WITHOUT_DEBUG_INFORMATION: Final = (
    "compile with -g (nvcc -G), or give --debug-dir DIR where its debug file is"
)
"""What to do about it."""
_WITHOUT_USABLE_DEBUG_FILE: Final = "give --debug-dir DIR where the right one is"
HINTS = {
    "no lane": "give --lane N",
    "no iteration": "give --iteration N",
    "no program location": "give --pc ADDR",
    "needs a program location": "give --pc ADDR",
    "no frame base": "give --frame-base ADDR",
    "whose frame base": "give --frame-base ADDR, or --file and --pc",
    "(CFA)": "give --cfa ADDR",
    "no object": "give --object LOCATION",
    "no compilation unit": "give --file CODE_OBJECT",
    "global address of the wave's scratch": "give --scratch-base ADDR, or a state with it",
    "no target to": "give --state FILE, --reg or --mem",
    "is not in the state": "give it with --reg, or a state with it",
    " and lane count ": "--lanes N gives the lane count where DW_AT_LLVM_lanes does not",
    " and DW_AT_LLVM_lanes ": "leave out --lanes N",
    "is not in the core file": "give it with --reg",
    "not in the state": "give it with --mem, or a state with it",
}
"""What to do about an error, by a piece of its message."""


def hint(error: DwarfGpuError) -> str | None:
    """Return advice if a command line option would help."""
    is_undescribed = any(text in error.message for text in _UNDESCRIBED)
    if isinstance(error, MissingContext | UsageError) and is_undescribed:
        if "; the debug file of " in error.message:
            return _WITHOUT_USABLE_DEBUG_FILE
        return None if error.message.endswith("(--target)") else WITHOUT_DEBUG_INFORMATION
    if isinstance(error, InconsistentContext | MissingContext | Unavailable):
        for piece, advice in HINTS.items():
            if piece in error.message:
                return advice
    return None


def empty(name: str) -> str:
    """Return the message about an argument that is empty."""
    return f"{name} is empty: leave it out, or give a value"


def without_debug_information(name: str) -> str:
    """Return the note about a file without DWARF: what to do."""
    return f"{name} has no debugging information; {WITHOUT_DEBUG_INFORMATION}"


def out_of_memory(raised: MemoryError) -> DwarfGpuError:
    """Return the error of a command for which there is not enough memory, and free what it had."""
    raised.__traceback__ = None
    return LimitExceeded("the command needs more memory than is available")


def nested_too_deep(raised: RecursionError) -> DwarfGpuError:
    """Return the error of a command for which the input is nested deeper than Python calls: what
    reads nested things has bounds of its own, and this is for the one that was forgotten."""
    raised.__traceback__ = None
    return LimitExceeded("the input is nested deeper than this command follows")


class unwrapped:
    """Raise Ctrl-C and lack of memory as they are where they occur while a class is made: before
    Python 3.12, they are the cause of a `RuntimeError` if `__set_name__` was at work."""

    __slots__ = ()

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, *_: object) -> None:
        if isinstance(error, RuntimeError) and isinstance(
            error.__cause__, KeyboardInterrupt | MemoryError
        ):
            raise error.__cause__ from None


def not_installed(raised: ModuleNotFoundError) -> DwarfGpuError:
    """Return the error of a command that needs a package of pyproject.toml, which an installation
    without dependencies lacks; an own module that is missing is our mistake, and raised."""
    package = (raised.name or "dwarfgpu").partition(".")[0]
    if package == "dwarfgpu":
        raise raised
    from dwarfgpu.base.optional_packages import install_command  # most installations are whole

    return Unsupported(
        f"dwarfgpu needs {package}, which is not installed: {install_command(package)}"
    )


def exhausted(
    raised: DwarfGpuError | MemoryError | RecursionError | ModuleNotFoundError,
) -> DwarfGpuError:
    """Return the error of a command that did not end: its own, or what it lacked."""
    match raised:
        case ModuleNotFoundError():
            return not_installed(raised)
        case MemoryError():
            return out_of_memory(raised)
        case RecursionError():
            return nested_too_deep(raised)
        case _:
            return raised


def error_line(error: DwarfGpuError) -> str:
    """Return one line: who is at fault, where, what, what to do."""
    advice = hint(error)
    kind = "" if isinstance(error, UsageError) else f"{error.kind}: "
    return one_line(f"{kind}{shortened(str(error))}" + (f"; {advice}" if advice else ""))


def error_json(error: DwarfGpuError) -> JsonObject:
    """Return the `error` member of every schema."""
    site = error.site
    message = error.message if error.context is None else f"{error.context}: {error.message}"
    notes = error.remarks if isinstance(error, UsageError) else ()
    return {
        "error": {
            "kind": error.kind,
            "message": shortened(message),
            "operation": None if site is None else site.operation,
            "offset": None if site is None else site.offset,
            "section": None if site is None else site.section,
            **({"notes": [*notes]} if notes else {}),
        }
    }


__all__ = ["HINTS", "error_json", "error_line", "exhausted", "hint", "one_line"]
