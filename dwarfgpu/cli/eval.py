"""`dwarfgpu eval`: a variable of a code object, or operations given as text or hex."""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
from collections.abc import Sequence
from functools import partial
from typing import Final

from dwarfgpu.cli.printing import EVAL_SCHEMA, context_notes, print_json, print_notes
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.target import Named
from dwarfgpu.options import machine_options as options
from dwarfgpu.options.demo import with_demo
from dwarfgpu.options.given_files import POSITIONAL, take_files
from dwarfgpu.service.answer import first_hint, positioned
from dwarfgpu.service.lane_answer import chosen_states, is_choice
from dwarfgpu.service.wave_answer import LanesAnswer, SingleAnswer, WaveAnswer
from dwarfgpu.session.kernel_start import is_before_start
from dwarfgpu.session.session import Session
from dwarfgpu.terminal.input import text_input
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.position import telling_outer_frame

_BEGINS_EXPRESSION: Final = re.compile(r"""\s*([$*&!~{'"]|sizeof\b)""")
"""No operations begin so."""
_IN_EXPRESSION: Final = re.compile(
    r"\$\w|\b(?:global|generic|region|local|private_lane|private_wave)#\w"
)
"""Registers and addresses, of which an expression of the language needs no types of a file."""
NOTHING = "nothing to evaluate: give operations, or --file and names"


def configure(parser: argparse.ArgumentParser) -> None:
    configure_subject(parser)
    options.configure(parser)


def configure_subject(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what is evaluated."""
    parser.add_argument(
        "subject",
        nargs="*",
        metavar="FILE|EXPRESSION|NAME",
        help=f"{POSITIONAL}; operations as text; with a code object, names of variables (none: "
        "all in scope); - for standard input",
    )
    subject = parser.add_argument_group("what is evaluated")
    subject.add_argument("--hex", action="store_true", help="the operations are bytes in hex")
    subject.add_argument("--file", metavar="FILE", help="an ELF file with DWARF, or a core file")
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
    take_files(args, "subject")
    return with_demo(args, _run, lane="all")


def _run(args: argparse.Namespace) -> int:
    choice = args.lane if is_choice(args.lane) else None
    if choice is not None:
        args.lane = "all"
    is_one = args.wave != "all"
    sessions = _sessions(args)
    with telling_outer_frame(sessions[0]) if is_one else contextlib.nullcontext():
        answers = _answers(args, sessions, choice)
    if args.json:
        _print_record(answers, is_each_wave=not is_one)
    else:
        _print_lines(answers, is_each_wave=not is_one)
        print_notes(first_hint(note for found in answers for note in found.notes()))
    return max(found.status for found in answers)


def _sessions(args: argparse.Namespace) -> Sequence[Session]:
    """One for each wave that is asked."""
    if args.wave != "all":
        return [session_for(args)]
    require_subject(args)
    sessions = options.sessions_of_waves(args, [args.file] if args.file else [])
    return [each.comparing() for each in sessions] if args.verify_places else sessions


def _answers(
    args: argparse.Namespace, sessions: Sequence[Session], choice: str | None
) -> Sequence[WaveAnswer]:
    """What each wave has of what is asked; the lanes of all waves are asked together."""
    if is_operations(args, sessions[0]):
        # Variables need no assembler.
        from dwarfgpu.cli.operations import operations
        from dwarfgpu.service.operations import operations_answer, operations_in_lanes

        of_session = partial(operations, args)
        if choice is None:
            return [
                SingleAnswer(each, positioned(each, operations_answer(each, of_session)))
                for each in sessions
            ]
        states = [chosen_states(each, choice) for each in sessions]
        found = operations_in_lanes(sessions, states, of_session)
        return [LanesAnswer(*each) for each in zip(sessions, found, strict=True)]
    # Operations need no types and printers.
    from dwarfgpu.service.variables_answer import variables_answer, variables_in_lanes

    if args.want is not None or args.push or args.object is not None:
        raise UsageError("--want, --push and --object are for operations, not for variables")
    if choice is None:
        return [variables_answer(each, args.subject) for each in sessions]
    return variables_in_lanes(sessions, args.subject, choice)


def _print_record(answers: Sequence[WaveAnswer], *, is_each_wave: bool) -> None:
    """One object: of the only wave, or with an element for each wave."""
    record: JsonObject = {"schema": EVAL_SCHEMA}
    if is_each_wave:
        record["waves"] = [{"wave": each.session.wave, **each.record} for each in answers]
    else:
        record |= answers[0].record
    print_json({**record, **context_notes(answers[0].session)})


def _print_lines(answers: Sequence[WaveAnswer], *, is_each_wave: bool) -> None:
    """The lines of each wave below its title; what all waves have in common before all of them."""
    have_begun = not (is_each_wave and all(is_before_start(each.session) for each in answers))
    common = set[str]()
    for found in answers:
        title = _wave_title(found.session) if is_each_wave else None
        for line in found.lines(have_begun=have_begun):
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


def _wave_title(session: Session) -> str:
    if isinstance(session.target, Named) and session.architecture.is_simt:
        return f"{session.target.target_id(session.wave)}:"
    return f"Thread {session.wave}:"


def require_subject(args: argparse.Namespace) -> None:
    """`UsageError` where options that need each other are not all there."""
    if args.subject == ["-"]:
        args.subject = [text_input(args.subject, None).strip()]
    if args.subject and not args.hex and not "".join(args.subject).strip():
        raise UsageError(NOTHING)  # an empty expression is -e ''
    if args.hex and not args.subject:
        raise UsageError("--hex needs the bytes of an expression")
    if args.expression is not None and args.subject:
        raise UsageError("give operations with -e or as arguments, not both")


def session_for(args: argparse.Namespace) -> Session:
    """The session of the options, and a check of those that need each other."""
    require_subject(args)
    session = options.session_of(args, [args.file] if args.file else [])
    if not args.json:
        print_notes(session.notes)
    return session.comparing() if args.verify_places else session


def is_operations(args: argparse.Namespace, session: Session) -> bool:
    """Whether operations are evaluated, not variables of a code object (of `--file`, a state)."""
    if args.expression is not None or args.hex:
        return True
    if session.code_objects or ((args.state or args.core) and not args.subject):
        return False
    if args.subject and all(map(_is_expression, args.subject)):
        return False
    if not args.subject:
        raise UsageError(NOTHING)
    return True


def _is_expression(text: str) -> bool:
    """Whether a text can only be an expression of the language, where no code object has names."""
    if _BEGINS_EXPRESSION.match(text):
        return True
    from dwarfgpu.cli.operations import names_operation  # asked of operations only

    return _IN_EXPRESSION.search(text) is not None and not names_operation(text)
