"""`n@entry` in expressions: what the caller of the frame in focus passed for an argument."""

from __future__ import annotations

from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import UndefinedBits, UsageError
from dwarfgpu.language.name_resolution import Names
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.session.argument_on_entry import argument_on_entry
from dwarfgpu.session.session import Session


def entry_value(session: Session, names: Names, name: str) -> TypedValue:
    """Return the value of an argument on entry; for a reference, its object as it was at the call.

    Optimized out where the call does not describe it. `UsageError` for a name of anything but an
    argument.
    """
    meanings = names.meaning(name)
    if not meanings:
        session.require_entered(name)
    argument = meanings[0] if meanings else None
    if not isinstance(argument, Variable) or argument.kind != "parameter":
        raise UsageError(f'@entry can be used only for function parameters, not for "{name}"')
    passed = argument_on_entry(session, argument)
    if passed is None:
        why = f"{name}@entry: the call does not describe what it passed"
        return TypedValue(argument.type, error=UndefinedBits(why), unit=argument.unit)
    reading = passed.value if passed.target is None else passed.target
    error = passed.value.failure or reading.failure
    bits = None if error is not None else reading.bits
    return TypedValue(reading.type, bits=bits, error=error, unit=argument.unit)
