"""`dwarfgpu eval` with a session: variables, operations in a program, or several lanes."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Iterable, Sequence
from functools import partial

from dwarfgpu.cli.printing import EVAL_SCHEMA, context_notes, print_json, print_notes
from dwarfgpu.cli.subject_words import (
    NOTHING,
    is_expression,
    names_operation,
    names_something,
    require_subject,
)
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import MissingContext, UsageError, shortened
from dwarfgpu.machine.target import Named
from dwarfgpu.options.opened_session import in_first_lane, session_of, sessions_of_waves
from dwarfgpu.service.answer import first_hint
from dwarfgpu.service.eval.wave_answer import (
    LanesAnswer,
    SingleAnswer,
    WaveAnswer,
    positioned,
)
from dwarfgpu.service.lanes.lane_choice import chosen_states, is_choice
from dwarfgpu.session.focused_names import damage_of
from dwarfgpu.session.kernel_start import is_before_start
from dwarfgpu.session.session import Session
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.lane_position import telling_outer_frame


def run_in_session(args: argparse.Namespace) -> int:
    """Evaluate with a session; the exit status."""
    choice = args.lane if is_choice(args.lane) else None
    if choice is not None:
        args.lane = "all"
    is_one = args.wave != "all"
    sessions = _sessions(args)
    with telling_outer_frame(sessions[0]) if is_one else contextlib.nullcontext():
        answers = _answers(args, sessions, choice)
        if args.json:
            return _print_record(answers, sessions[0], is_each_wave=not is_one)
        have_begun = is_one or not all(map(is_before_start, sessions))
        return _print_lines(answers, is_each_wave=not is_one, have_begun=have_begun)


def _sessions(args: argparse.Namespace) -> Sequence[Session]:
    """Return a session per selected wave."""
    if args.wave != "all":
        return [session_for(args)]
    require_subject(args)
    sessions = sessions_of_waves(args, [args.file] if args.file else [])
    return [session.comparing() for session in sessions] if args.verify_places else sessions


def _answers(
    args: argparse.Namespace, sessions: Sequence[Session], choice: str | None
) -> Iterable[WaveAnswer]:
    """Return the answers of each wave; the lanes of many waves are evaluated in one batch."""
    if is_operations(args, sessions[0]):
        from dwarfgpu.cli.session_operations import session_operations
        from dwarfgpu.service.eval.operations_answer import (
            operations_answer,
            operations_in_lanes,
        )

        of_session = partial(session_operations, args)
        if choice is None:
            return [
                SingleAnswer(session, positioned(session, operations_answer(session, of_session)))
                for session in sessions
            ]
        states = [chosen_states(session, choice) for session in sessions]
        results = operations_in_lanes(sessions, states, of_session)
        return [LanesAnswer(*pair) for pair in zip(sessions, results, strict=True)]
    if args.want is not None or args.push or args.object is not None:
        raise UsageError("--want, --push and --object are for operations, not for variables")
    # Operations need no types and printers.
    if not args.subject and len(sessions) == 1:
        _explain_nothing(args, sessions[0])
    if choice is None:
        from dwarfgpu.service.eval.eval_answer import variables_of_waves

        return variables_of_waves(sessions, args.subject)
    from dwarfgpu.service.eval.eval_in_lanes import variables_in_lanes

    return variables_in_lanes(
        sessions, args.subject, choice, shares="nothing" if args.json else "text"
    )


def _explain_nothing(args: argparse.Namespace, session: Session) -> None:
    """Say why there is nothing to list; an error if the code object may be the wrong one."""
    from dwarfgpu.service.eval.eval_answer import why_nothing_listed

    try:
        why = why_nothing_listed(session)
    except MissingContext as error:
        raise MissingContext(f"{error.message}{_named_by_state(args)}") from None
    if why is not None and not args.json:
        print_notes([why])


def _named_by_state(args: argparse.Namespace) -> str:
    """Return which code object a state names, where the command line selects another one."""
    if args.state is None or args.file is None:
        return ""
    from dwarfgpu.machine.state.load import load_state
    from dwarfgpu.options.limit_options import file_limits_of

    named = load_state(args.state, file_limits_of(args)).code_objects
    if len(named) != 1 or named[0].path.name == os.path.basename(args.file):
        return ""
    used = "--demo" if args.demo else shortened(args.file)
    return f"; {args.state} names {named[0].path.name}: leave out {used}"


def _print_record(answers: Iterable[WaveAnswer], first: Session, *, is_each_wave: bool) -> int:
    """Print one object: of the only wave, or with an element for each wave as it answers; return
    the exit status."""
    status = 0
    if not is_each_wave:
        for answer in answers:
            record = answer.record  # the names of types in it may have notes, too
            status = max(status, answer.status, _status_of(record))
            notes_on_all = [*answer.notes_on_all, *damage_of(answer.asked_files)]
            rest = context_notes(first, notes_on_all)
            print_json({"schema": EVAL_SCHEMA, **record, **rest})
        return status
    import json

    notes: dict[str, None] = {}
    asked = _AskedFiles()
    separator = f'{{"schema": {json.dumps(EVAL_SCHEMA)}, "waves": ['
    for answer in answers:
        record = {"wave": answer.session.wave, **answer.record}
        status = max(status, answer.status, _status_of(record))
        notes |= dict.fromkeys(answer.notes_on_all)
        asked.add(answer)
        print(separator + json.dumps(record, allow_nan=False), end="")
        separator = ", "
    rest = context_notes(first, [*notes, *asked.damage])
    members = "".join(f", {json.dumps(name)}: {json.dumps(rest[name])}" for name in rest)
    print(f"]{members}}}")
    return status


def _status_of(record: JsonObject) -> int:
    """Return 1 if a variable has an error: the data of a list are counted as they are made."""
    variables = record.get("variables")
    listed = variables if isinstance(variables, list) else []
    return int(any(isinstance(item, dict) and "error" in item for item in listed))


def _print_lines(answers: Iterable[WaveAnswer], *, is_each_wave: bool, have_begun: bool) -> int:
    """Print the lines of each wave below its title, what all waves have in common before all of
    them, and the notes at the end; return the exit status."""
    common = set[str]()
    notes: dict[str, None] = {}
    asked = _AskedFiles()
    status = 0
    for answer in answers:
        title = _wave_title(answer.session) if is_each_wave else None
        for line in answer.lines(have_begun=have_begun):
            if line.is_common and not have_begun:
                if line.text in common:
                    continue
                common.add(line.text)
            elif title is not None:
                print(title)
                title = None
            print(line.text, file=sys.stderr if line.is_error else sys.stdout)
        if title is not None and have_begun:
            print(title)
        status = max(status, answer.status)
        notes |= dict.fromkeys(answer.notes())
        asked.add(answer)
    print_notes(first_hint(dict.fromkeys((*asked.damage, *notes))))
    return status


class _AskedFiles:
    """The files from which waves have answers: their damage is asked for once, because thousands of
    waves have thousands of files."""

    def __init__(self) -> None:
        self._files: dict[int, Sequence[CodeObject]] = {}

    def add(self, answer: WaveAnswer) -> None:
        self._files[id(answer.asked_files)] = answer.asked_files

    @property
    def damage(self) -> list[str]:
        return [note for files in self._files.values() for note in damage_of(files)]


def _wave_title(session: Session) -> str:
    if isinstance(session.target, Named) and session.architecture.is_simt:
        return f"{session.target.target_id(session.wave)}:"
    return f"Thread {session.wave}:"


def session_for(args: argparse.Namespace) -> Session:
    """Return the session of the options, after checking their dependencies."""
    require_subject(args)
    session = session_of(args, [args.file] if args.file else [])
    session = in_first_lane(args, session)
    if not args.json:
        print_notes(session.notes)
    return session.comparing() if args.verify_places else session


def is_operations(args: argparse.Namespace, session: Session) -> bool:
    """Return whether operations are evaluated, not variables of a code object (of `--file`, a
    state)."""
    if args.expression is not None or args.hex:
        return True
    if session.code_objects or ((args.state or args.core) and not args.subject):
        return False
    if args.subject and all(map(is_expression, args.subject)):
        return False
    if not args.subject:
        raise UsageError(NOTHING)
    if args.core and session.knows_loaded:
        _require_code_object(args.subject, session)
    return True


def _require_code_object(subject: Sequence[str], session: Session) -> None:
    """Raise `UsageError` for names of variables where a core has the file of no code object."""
    names = [word for word in subject if names_something(word) and not names_operation(word)]
    if names:
        missing = [note for note in session.notes if " is not used: " in note]
        why = f": {missing[0]}" if missing else ""
        raise UsageError(
            f"{shortened(names[0])}: variables need the code object, which is not available{why}; "
            "name it with --code-object URI=FILE or --sysroot DIR"
        )
