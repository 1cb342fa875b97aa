"""How often DW_AT_frame_base is evaluated: once for each evaluation that asks for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dwarfgpu as dg
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import frame_attributes
from dwarfgpu.expr.explicit_context import ExplicitAddress
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.model.location import Location
from dwarfgpu.session.frame import SubprogramFrame
from tools.bombs.nesting import called_bases


@pytest.fixture
def session(tmp_path: Path) -> dg.Session:
    (tmp_path / "bomb").write_bytes(called_bases(1)["bomb"])
    arch = dg.architecture("x86_64")
    target = dg.StateTarget(arch)
    target.add_wave(0)
    target.set_register(0, arch.by_name["rsp"], (0x2000).to_bytes(8, "little"))
    return dg.Session(arch, (dg.CodeObject.open(tmp_path / "bomb"),), target, wave=0, pc=0x1000)


@pytest.fixture
def bases(monkeypatch: pytest.MonkeyPatch) -> list[Location]:
    """The frame bases that were evaluated."""
    evaluated: list[Location] = []
    evaluate = frame_attributes.frame_base

    def noted(*arguments: object, **options: object) -> Location:
        evaluated.append(evaluate(*arguments, **options))  # type: ignore[arg-type]
        return evaluated[-1]

    monkeypatch.setattr(frame_attributes, "frame_base", noted)
    return evaluated


def address(session: dg.Session, text: str) -> int:
    value = dg.evaluate(assemble(text), session.context(), result_kind="value")
    assert isinstance(value, dg.Value)
    return value.bits


def test_an_evaluation_asks_once(session: dg.Session, bases: list[Location]) -> None:
    assert address(session, "DW_OP_fbreg 8; DW_OP_fbreg 16; DW_OP_plus") == 0x4018
    assert len(bases) == 1


def test_the_next_evaluation_asks_again(session: dg.Session, bases: list[Location]) -> None:
    """A script may have written to the machine, beside the session; the frame is the same."""
    context = session.context()
    assert address(session, "DW_OP_fbreg 8") == 0x2008
    target: Any = session.target
    target.set_register(0, session.architecture.by_name["rsp"], (0x3000).to_bytes(8, "little"))
    assert session.context() is context
    assert address(session, "DW_OP_fbreg 8") == 0x3008
    assert len(bases) == 2


def test_each_call_frame_has_its_own(session: dg.Session, bases: list[Location]) -> None:
    """A frame that an evaluation makes from another one shares nothing with it."""
    frame = session.frame
    context = session.context(frame)
    assert dg.evaluate(assemble("DW_OP_fbreg 8"), context, result_kind="location")
    assert dg.evaluate(assemble("DW_OP_fbreg 8"), session.context(session.frame))
    assert len(bases) == 2


def test_one_that_the_user_gives_is_made_once(
    session: dg.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As that of a kernel of upstream clang, for which each question reads the list of kernels."""
    made: list[ExplicitAddress] = []
    location_of = SubprogramFrame.location_of

    def noted(frame: SubprogramFrame, base: ExplicitAddress) -> Location:
        made.append(base)
        return location_of(frame, base)

    monkeypatch.setattr(SubprogramFrame, "location_of", noted)
    having = evolve(session, given_frame_base=ExplicitAddress(0, 0x5000))
    assert address(having, "DW_OP_fbreg 8; DW_OP_fbreg 16; DW_OP_plus") == 0xA018
    assert len(made) == 1
