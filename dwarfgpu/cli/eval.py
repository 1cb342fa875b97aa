"""`dwarfgpu eval`: a variable of a code object, or operations given as text or hex."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from importlib.resources import as_file, files
from typing import TypeAlias

from attrs import evolve

from dwarfgpu.cli import context as options
from dwarfgpu.cli.answers import Answer, of_error, of_reading, of_result
from dwarfgpu.cli.errors import error_line, one_line
from dwarfgpu.cli.lanes import (
    LaneAnswer,
    all_lanes,
    lane_lines,
    lane_notes,
    lane_records,
    lane_status,
)
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scopes import Variable
from dwarfgpu.dwarf.type_names import type_name
from dwarfgpu.errors import DwarfGpuError, InconsistentContext, UndefinedBits, UsageError
from dwarfgpu.expr.context import Context, Limits, format_of
from dwarfgpu.expr.dialect import AMD_PROVISIONAL, PROVISIONAL, Dialect
from dwarfgpu.expr.evaluate import Observer, evaluate
from dwarfgpu.expr.hexinput import parse_hex
from dwarfgpu.expr.prepare import prepare
from dwarfgpu.model.location import Location
from dwarfgpu.session import LaneState, Session
from dwarfgpu.view.plain import Plain, Record

SCHEMA = "dwarfgpu-eval-1"
PROVISIONAL_NOTE = (
    "dialect amd-provisional: operations without a number today have provisional ones of "
    "dwarfgpu's own"
)


def configure(parser: argparse.ArgumentParser) -> None:
    configure_subject(parser)
    options.configure(parser)


def configure_subject(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what is evaluated."""
    parser.add_argument(
        "subject",
        nargs="*",
        metavar="EXPRESSION|NAME",
        help="operations as text; with a code object, names of variables (none: all in scope)",
    )
    subject = parser.add_argument_group("what is evaluated")
    subject.add_argument("--hex", action="store_true", help="the operations are bytes in hex")
    subject.add_argument("--file", metavar="CODE_OBJECT", help="an ELF file with DWARF")
    subject.add_argument(
        "-e",
        "--expression",
        metavar="TEXT",
        action="append",
        help="operations, in the unit at --pc; given again, they go on",
    )
    subject.add_argument(
        "--verify-places", action="store_true", help="read all places of an object and compare"
    )
    subject.add_argument(
        "--demo", action="store_true", help="use the kernel and the state that come with dwarfgpu"
    )


def run(args: argparse.Namespace) -> int:
    return with_demo(args, _run, lane="all")


def with_demo(
    args: argparse.Namespace, run: Callable[[argparse.Namespace], int], *, lane: str | None = None
) -> int:
    """Run, with the kernel and the state that come with dwarfgpu where `--demo` asks for them."""
    if not args.demo:
        return run(args)
    with as_file(files("dwarfgpu") / "data") as folder:
        args.file = args.file or str(folder / "demo.co")
        args.state = args.state or str(folder / "demo.json")
        args.lane = args.lane or lane
        return run(args)


def _run(args: argparse.Namespace) -> int:
    session = session_for(args)
    if is_operations(args, session):
        return _operations(args, session)
    if args.want is not None or args.push or args.object is not None:
        raise UsageError("--want, --push and --object are for operations, not for variables")
    names: list[str] = args.subject
    variables = [_variable(session, name) for name in names] or session.variables()
    if args.lane == "all":
        return _all_lanes(args, session, variables, is_listing=not names)
    answers = [(each, _answer(args, session, each)) for each in variables]
    status = max((answer.status for _, answer in answers), default=0)
    if args.json:
        if len(names) == 1:
            print_json({"schema": SCHEMA, **answers[0][1].record})
        else:
            named: list[Plain] = [_named(each, answer.record) for each, answer in answers]
            print_json({"schema": SCHEMA, "variables": named})
        return status
    marks = {} if names else _distinguishing(session, variables)
    for variable, answer in answers:
        if names and answer.error is not None:
            is_known = isinstance(answer.error, UndefinedBits)
            why = answer.text if is_known else error_line(answer.error)
            print(one_line(f"dwarfgpu: {variable.name}: {why}"), file=sys.stderr)
        else:
            print(_line(variable, answer, is_listing=not names) + marks.get(variable, ""))
    print_notes(note for _, answer in answers for note in answer.notes)
    return status


def session_for(args: argparse.Namespace) -> Session:
    """The session of the options, and a check of those that need each other."""
    if args.hex and not args.subject:
        raise UsageError("--hex needs the bytes of an expression")
    if args.expression is not None and args.subject:
        raise UsageError("give operations with -e or as arguments, not both")
    return options.session_of(args, [args.file] if args.file else [])


def is_operations(args: argparse.Namespace, session: Session) -> bool:
    """Whether operations are evaluated, not variables of a code object (of `--file`, a state)."""
    if args.expression is not None or args.hex:
        return True
    if session.code_objects or (args.state and not args.subject):
        return False
    if not args.subject:
        raise UsageError("nothing to evaluate: give operations, or --file and names")
    return True


def _variable(session: Session, name: str) -> Variable:
    """The variable of a name, and advice where operations were given in its place."""
    try:
        return session.variable(name)
    except UsageError as error:
        if any(each in name for each in " ;,"):
            raise UsageError(f"{error.message.rstrip('.')}; give operations with -e") from None
        raise


def _named(variable: Variable, record: Record) -> Record:
    out: Record = {"name": variable.name, "type": None, "line": None, "kind": variable.kind}
    notes: list[Plain] = []
    try:
        out["type"] = None if variable.type is None else type_name(variable.type)
    except DwarfGpuError as error:
        notes.append(f"the type of {variable.name}: {error_line(error)}")
    try:
        out["line"] = variable.decl_line
    except DwarfGpuError as error:
        notes.append(f"the line of {variable.name}: {error_line(error)}")
    out |= record
    if notes:
        known = record.get("notes")
        out["notes"] = [*known, *notes] if isinstance(known, list) else notes
    return out


def _answer(args: argparse.Namespace, session: Session, variable: Variable) -> Answer:
    reading = session.read(variable)
    answer = of_reading(reading, session)
    if args.verify_places and reading.location is not None and reading.bits is not None:
        access = session.context().access
        size_bits = reading.bits.size_bits
        for index, _ in access.differing_places(reading.location, size_bits):
            note = f"place {index} holds other bits than place 0: the DWARF is ill-formed"
            record: Record = {**answer.record, "notes": [*answer.notes, note]}
            answer = evolve(answer, notes=(*answer.notes, note), status=1, record=record)
    return answer


def _line(variable: Variable, answer: Answer, *, is_listing: bool) -> str:
    if not is_listing:
        return f"{variable.name} = {answer.text}"
    where = f"  @ {answer.where}" if answer.where else ""
    return one_line(f"{_typed_name(variable)} = {answer.text}{where}")


def _distinguishing(session: Session, variables: list[Variable]) -> dict[Variable, str]:
    """What tells variables of one name apart: line, inlined function, whether one hides it."""
    counts = Counter(each.name for each in variables)
    functions = session.functions()
    out: dict[Variable, str] = {}
    for each in variables:
        if counts[each.name] > 1:
            words = _line_words(each)
            if each.kind != "global" and each.inline_level < len(functions):
                words.append(f"of {functions[each.inline_level]}")
            words += ["hidden by a nearer one"] if each.is_shadowed else []
            if words:
                out[each] = one_line(f"  ({', '.join(words)})")
    return out


def _line_words(variable: Variable) -> list[str]:
    try:
        return [] if variable.decl_line is None else [f"line {variable.decl_line}"]
    except DwarfGpuError as error:
        return [f"line <error: {error_line(error)}>"]


def _typed_name(variable: Variable) -> str:
    try:
        kind = variable.type
    except DwarfGpuError as error:
        return f"<error: {error_line(error)}> {variable.name}"
    return variable.name if kind is None else f"{type_name(kind)} {variable.name}"


def _all_lanes(
    args: argparse.Namespace, session: Session, variables: list[Variable], *, is_listing: bool
) -> int:
    status, notes = 0, dict[str, None]()
    records: list[Record] = []
    states = session.lane_states(all_lanes(session))
    _, unknown = session.active_lanes()
    scopes = _scopes(session, states) if is_listing else None
    for variable in variables:
        answers = [_lane_answer(args, session, state, variable, scopes) for state in states]
        status = max(status, lane_status(answers))
        if args.json:
            records.append(_named(variable, {"lanes": lane_records(answers)}))
            continue
        if len(variables) > 1:
            print(one_line(f"{_typed_name(variable)}:"))
        print(*lane_lines(answers, session.pc), sep="\n")
        notes |= dict.fromkeys([*([unknown] if unknown else []), *lane_notes(answers)])
    if not args.json:
        print_notes(notes)
    elif len(variables) == 1 and not is_listing:
        print_json({"schema": SCHEMA, "lanes": records[0]["lanes"]})
    else:
        print_json({"schema": SCHEMA, "variables": [*records]})
    return status


OUT_OF_SCOPE = "<not in scope>"
Scopes: TypeAlias = Mapping[int, frozenset[Die]]
"""The variables in scope at each program location where a lane is, but not the wave."""


def _scopes(session: Session, states: Iterable[LaneState]) -> Scopes:
    found: dict[int, frozenset[Die]] = {}
    for state in states:
        pc = None if state.location is None else state.location.pc
        if pc is not None and pc != session.pc and pc not in found:
            found[pc] = frozenset(each.die for each in session.focused(state.lane).variables())
    return found


def _lane_answer(
    args: argparse.Namespace,
    session: Session,
    state: LaneState,
    variable: Variable,
    scopes: Scopes | None,
) -> LaneAnswer:
    """A variable where a lane is: there its name may mean another one, or in a listing none."""
    if state.error is not None:
        return LaneAnswer(state, of_error(state.error, ()))
    focused = session.focused(state.lane)
    pc = None if state.location is None else state.location.pc
    if pc is None or pc == session.pc:
        return LaneAnswer(state, _answer(args, focused, variable))
    try:
        if scopes is None:
            variable = _variable(focused, variable.name)
        elif variable.die not in scopes[pc]:
            error = UsageError(f'No symbol "{variable.name}" where the lane is.')
            return LaneAnswer(state, evolve(of_error(error, ()), text=OUT_OF_SCOPE))
        return LaneAnswer(state, _answer(args, focused, variable))
    except DwarfGpuError as error:
        return LaneAnswer(state, of_error(error, ()))


def _operations(args: argparse.Namespace, session: Session) -> int:
    """Operations for one lane, or for every lane."""
    if args.lane != "all":
        answer = evaluated(args, session)
        if args.json:
            print_json({"schema": SCHEMA, **answer.record})
        elif answer.error is not None:
            print(f"dwarfgpu: {answer.text}", file=sys.stderr)
        else:
            print(answer.text)
        if not args.json:
            print_notes(answer.notes)
        return answer.status
    answers = [
        LaneAnswer(state, _evaluated_by(args, session, state))
        for state in session.lane_states(all_lanes(session))
    ]
    if args.json:
        print_json({"schema": SCHEMA, "lanes": lane_records(answers)})
    else:
        print(*lane_lines(answers, session.pc), sep="\n")
        print_notes(lane_notes(answers))
    return lane_status(answers)


def _evaluated_by(args: argparse.Namespace, session: Session, state: LaneState) -> Answer:
    try:
        return evaluated(args, session.focused(state.lane))
    except InconsistentContext as error:  # the lane is not in this frame
        return of_error(error, ())


def evaluated(
    args: argparse.Namespace, session: Session, observe: Observer | None = None
) -> Answer:
    """The operations of the command line, evaluated for the focus."""
    data, context, chosen, notes = operations(args, session)
    try:
        result = evaluate(data, context, dialect=chosen, observe=observe)
    except DwarfGpuError as error:
        return of_error(error, notes)
    if args.verify_places and isinstance(result, Location) and len(result.places) > 1:
        notes = (*notes, *_differing(context, result))
    return of_result(result, notes, context.endian)


def _differing(context: Context, result: Location) -> list[str]:
    size_bits = result.remaining_bits
    if size_bits is None or size_bits > 1 << 20:
        return ["--verify-places: the object has no size here; name a variable"]
    return [
        f"place {index} holds other bits than place 0: the DWARF is ill-formed"
        for index, _ in context.access.differing_places(result, size_bits)
    ]


def operations(
    args: argparse.Namespace, session: Session
) -> tuple[bytes, Context, Dialect, tuple[str, ...]]:
    """Bytes, context, dialect and notes of the operations of the command line."""
    context = session.context()
    share = len(all_lanes(session)) if args.lane == "all" else 1
    limits = options.limits_of(args, Limits().steps // share)
    context = evolve(context, limits=limits)
    code_object = session.code_object
    if code_object is not None:
        unit = None if context.pc is None else code_object.scopes.unit_at(context.pc)
        units = code_object.info.units
        context = evolve(context, unit=unit or (units[0] if units else None))
    chosen = options.chosen_dialect(args, context)
    form = format_of(session.architecture) if context.unit is None else context.unit.format
    text = " ".join(args.subject) if args.expression is None else "; ".join(args.expression)
    notes: tuple[str, ...] = ()
    if args.hex:
        data = parse_hex(text)
    else:
        unnumbered = [name.lower() for name in PROVISIONAL.values() if name not in chosen.codes]
        if args.dialect is None and any(name in text.lower() for name in unnumbered):
            chosen = AMD_PROVISIONAL
        try:
            data = options.assembled(text, chosen, form, session.architecture)
        except UsageError as error:
            if text.isidentifier() and not args.file:
                raise UsageError(f"{error.message}; to evaluate a variable, give --file") from None
            raise
    if chosen.provisional:
        notes = (PROVISIONAL_NOTE,)
    notes = (*notes, *prepare(data, chosen, form).notes)
    return data, options.with_entries(args, context, chosen), chosen, notes


def print_json(record: Record) -> None:
    """Exactly one object, on stdout."""
    print(json.dumps(record, allow_nan=False))


def print_notes(notes: Iterable[str]) -> None:
    """What was assumed, once each, on stderr."""
    for note in dict.fromkeys(notes):
        print(one_line(f"note: {note}"), file=sys.stderr)
