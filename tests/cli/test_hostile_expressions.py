"""Expressions of hostile types in `eval --json`, and at the prompt: errors, and valid answers."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dwarfgpu.dwarf.types.types import Type
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.language import Options, TypedValue
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Memory
from dwarfgpu.repl.command_table import COMMANDS
from dwarfgpu.repl.session_streams import Streams
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.value.expression_answer import of_expression
from dwarfgpu.service.value.expression_settings import ExpressionSettings
from tests.cli.command import validate
from tests.language.sessions import stopped
from tests.language.test_hostile import EXPRESSIONS, TYPES, USES

SESSION = stopped("locations.gfx942", 3)


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: type(kind).__name__)
@pytest.mark.parametrize("has_place", [True, False])
def test_answers_are_valid(kind: Type, has_place: bool) -> None:
    memory = SESSION.architecture.address_space_named("private_lane")
    assert memory is not None
    place = Location((SingleLocation(Memory(memory, SESSION.wave, 3), 8 * 0x20),))
    value = TypedValue(kind, place) if has_place else TypedValue(kind, bits=Bits(5, 64))
    options = Options({"x": value}.get)
    for expression in USES:
        try:
            answer = of_expression(
                SESSION, expression, settings=ExpressionSettings(lambda _: options)
            )
        except DwarfGpuError:
            continue
        validate({"schema": "dwarfgpu-eval-1", **answer.record})
        assert answer.status in (0, 1)


@given(
    st.sampled_from(
        ["print ", "print/x ", "whatis ", "ptype ", "location ", "set var ", "output "]
    ),
    EXPRESSIONS,
)
@settings(max_examples=300, deadline=None)
def test_the_prompt_goes_on(command: str, expression: str) -> None:
    streams = Streams(io.StringIO(), io.StringIO())
    session = stopped("locations.gfx942", 3, opened=SESSION.code_objects)
    shell = Shell(session, COMMANDS, streams)
    shell.execute("print local_frame")
    shell.execute(f"{command}{expression}")
    shell.execute("print $ + 1")
    assert shell.execute("print 1")
