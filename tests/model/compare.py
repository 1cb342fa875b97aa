"""Both answers to a scenario, whether they differ, and the smallest scenario that still does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tests.model.engine_side import Engine
from tests.model.plain_side import Answer, Plain
from tests.model.plain_values import Open
from tests.model.scenario import DieData, Scenario, text, without


@dataclass(frozen=True)
class Comparison:
    plain: Answer | None
    """None where the texts leave the answer open."""
    engine: Answer

    @property
    def differ(self) -> bool:
        plain, engine = self.plain, self.engine
        if plain is None or engine.classes == {"LimitExceeded"}:
            return False
        if plain.classes or engine.classes:
            return not engine.classes or not engine.classes <= plain.classes
        return _settled(plain, engine) != plain


def _settled(plain: Answer, engine: Answer) -> Answer:
    """The engine's answer, with what the model leaves open as in the model's."""
    if plain.bits.endswith("?"):
        engine = replace(engine, bits=engine.bits[: len(plain.bits) - 1] + "?")
    if plain.written == {"open"}:
        engine = replace(engine, written=plain.written, machine="")
    elif "Unavailable" in plain.written:
        engine = replace(engine, machine="")
    if engine.written and engine.written <= plain.written:
        engine = replace(engine, written=plain.written)
    return engine


def compare(scenario: Scenario) -> Comparison:
    engine = Engine(scenario).answer()
    try:
        plain: Answer | None = Plain(scenario).answer()
    except Open:
        plain = None
    return Comparison(plain, engine)


def smaller(scenario: Scenario) -> Iterator[Scenario]:
    """Scenarios with a little less, the largest steps first."""
    for number in range(len(scenario.steps) if scenario.attribute is None else 0):
        yield replace(scenario, steps=without(scenario.steps, number))
    for number in range(len(scenario.stack)):
        yield replace(scenario, stack=scenario.stack[:number] + scenario.stack[number + 1 :])
    for offset, die in scenario.dies.items():
        for less in _smaller_die(die):
            if offset == scenario.attribute and less.steps is None and less.entries is None:
                continue
            yield replace(scenario, dies={**scenario.dies, offset: less})
    for change in ({"kind": None}, {"object": None}, {"bias": 0}, {"has_thread": True}):
        if any(getattr(scenario, name) != value for name, value in change.items()):
            yield replace(scenario, **change)


def _smaller_die(die: DieData) -> Iterator[DieData]:
    if die != (nothing := DieData(second_unit=die.second_unit)):
        yield nothing
    if die.steps is not None:
        for number in range(len(die.steps)):
            yield replace(die, steps=without(die.steps, number))
    for at, (begin, end, steps) in enumerate(die.entries or ()):
        assert die.entries is not None
        yield replace(die, entries=die.entries[:at] + die.entries[at + 1 :])
        for number in range(len(steps)):
            entry = (begin, end, without(steps, number))
            yield replace(die, entries=(*die.entries[:at], entry, *die.entries[at + 1 :]))


def shrunk(scenario: Scenario) -> Scenario:
    """Less and less, as long as the answers differ."""
    for less in smaller(scenario):
        if compare(less).differ:
            return shrunk(less)
    return scenario


def report(scenario: Scenario) -> str:
    """A counterexample for a person: the expression, what it needs, both answers."""
    changes = compare(scenario)
    what = text(scenario.steps) or "(empty)"
    if scenario.attribute is not None:
        what = f"attribute of DIE {scenario.attribute:#x}"
    lines = [
        f"seed {scenario.seed}: {what}",
        f"  bytes {scenario.expression.hex(' ')}, {scenario.endian} endian, "
        f"{scenario.address_bytes}-byte addresses, version {scenario.version}, "
        f"direct {scenario.direct}, wants {scenario.kind}",
        f"  lane {scenario.lane}, pc {scenario.pc}, bias {scenario.bias}, "
        f"thread {scenario.has_thread}, unit {scenario.has_unit}, "
        f"frame {None if scenario.frame is None else scenario.frame.level}",
    ]
    lines += [f"  stack: {entry}" for entry in scenario.stack]
    for offset, die in scenario.dies.items():
        if die.steps is not None:
            lines.append(f"  die {offset:#x}: {text(die.steps)}")
        for begin, end, steps in die.entries or ():
            bounds = "default" if begin is None else f"{begin:#x} to {end:#x}"
            lines.append(f"  die {offset:#x}, {bounds}: {text(steps)}")
        if die.constant is not None:
            lines.append(f"  die {offset:#x}: constant [{die.constant.hex()}]")
    return "\n".join([*lines, *_answers(changes)])


def _answers(found: Comparison) -> Iterator[str]:
    if found.plain is None:
        yield f"  model:  open\n  engine: {found.engine}"
        return
    yield f"  model:  {_short(found.plain, found.engine)}"
    yield f"  engine: {_short(found.engine, found.plain)}"


def _short(answer: Answer, other: Answer) -> str:
    if answer.classes:
        return " or ".join(sorted(answer.classes))
    if answer.value is not None or answer.pointer is not None:
        return f"value {answer.value}" if answer.value else f"implicit pointer {answer.pointer}"
    shown = [" | ".join(answer.places), answer.bits]
    if answer.beyond != other.beyond:
        shown.append(f"read beyond: {answer.beyond or 'succeeds'}")
    if answer.written != other.written:
        shown.append(f"write: {' or '.join(sorted(answer.written)) or 'succeeds'}")
    if other.machine and answer.machine != other.machine:
        theirs = set(other.machine.split())
        shown.append("after: " + " ".join(s for s in answer.machine.split() if s not in theirs))
    return "; ".join(shown)
