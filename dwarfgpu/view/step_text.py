"""The lines of all steps, with what they used inside them, down to a depth.

`StepView.text_at` of `explanation_text` is the text of one step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from dwarfgpu.errors import UsageError, counted
from dwarfgpu.view.explanation_text import KEPT_STEPS, Detail, StepView

WHOLE: Final = 1 << 30
"""A depth that no explanation reaches."""
_MARGIN: Final = " " * 8
_DEPTH: Final = re.compile(r"-depth\s+(?P<depth>[0-9]+|all)(?:\s+|$)")
_LONGEST: Final = 9
"""Digits of a depth; nothing is that deep."""
_OPTION: Final = re.compile(r"-depth(?![\w-])")


def depth_option(argument: str) -> tuple[int, str]:
    """Return the depth of `-depth N` before an argument, by default 0, and the rest; `UsageError`
    for another N."""
    match = _DEPTH.match(argument)
    if match is None:
        if _OPTION.match(argument):
            raise UsageError(
                "-depth requires a number or all: -depth 1 EXPRESSION; the negative of a variable "
                "is -- -depth"
            )
        return 0, argument
    is_whole = match["depth"] == "all" or len(match["depth"]) > _LONGEST
    depth = WHOLE if is_whole else int(match["depth"])
    return depth, argument[match.end() :]


def step_lines(
    steps: Sequence[StepView],
    depth: int,
    *,
    omitted: int = 0,
    level: int = 0,
    option: str = "--depth",
) -> Iterator[str]:
    """Yield the steps of an expression; their inputs down to `depth`, else as one line.

    `omitted`: how many steps are omitted in the middle. `option`: the option that shows more.
    """
    return _Lines(steps, depth, option).lines(omitted, level)


class _Lines:
    """The steps by the operation within which they were performed."""

    def __init__(self, steps: Sequence[StepView], depth: int, option: str) -> None:
        self.depth = depth
        self.option = option
        self.steps = steps
        numbers = {step.step.number for step in steps}
        self.within: dict[int | None, list[StepView]] = {}
        for step in steps:
            parent = step.step.parent if step.step.parent in numbers else None
            self.within.setdefault(parent, []).append(step)
        for performed in self.within.values():
            performed.sort(key=lambda view: view.step.number)
        self.first_after = steps[KEPT_STEPS].step.number if len(steps) > KEPT_STEPS else None

    def lines(self, omitted: int, level: int) -> Iterator[str]:
        remaining = omitted
        for inside in self.within.get(None, []):
            is_after = self.first_after is not None and inside.step.number >= self.first_after
            if remaining and is_after:
                yield f"… {remaining} steps …"
                remaining = 0
            yield from self._step(inside, level)
        if remaining:
            yield f"… {remaining} steps …"

    def _step(self, view: StepView, level: int) -> Iterator[str]:
        yield view.text_at(level)
        for inside in view.insides:
            performed = self._all_within(view) if inside.is_performed else []
            yield from self.inside(inside, level, len(performed))
            if inside.is_performed and level < self.depth:
                for detail in self.within.get(view.step.number, []):
                    yield from self._step(detail, level + 1)

    def inside(self, inside: Detail, level: int, performed: int = 0) -> Iterator[str]:
        """Yield one input; `performed`: those of its steps that are the operation's own."""
        margin = _MARGIN + "  " * level
        if level >= self.depth:
            advice = _folded(inside, performed, f"{self.option} {level + 1}")
            yield f"{margin}inside: {inside.title}{advice}"
            return
        yield f"{margin}inside: {inside.title}"
        yield from (f"{margin}  {fact}" for fact in inside.facts)
        for inner in inside.insides:
            yield from self.inside(inner, level + 1)
        own = _Lines(inside.steps, self.depth, self.option)
        yield from own.lines(inside.omitted, level + 1)

    def _all_within(self, view: StepView) -> list[StepView]:
        insides = list(self.within.get(view.step.number, []))
        for inside in insides:  # grows
            insides += self.within.get(inside.step.number, [])
        return insides


def inside_lines(
    insides: Sequence[Detail], depth: int, *, option: str = "--depth"
) -> Iterator[str]:
    """Yield what the description itself depends on."""
    lines = _Lines((), depth, option)
    for inside in insides:
        yield from lines.inside(inside, 0)


def _folded(inside: Detail, performed: int, more: str) -> str:
    """Return `; --depth 1 shows 3 steps of it`."""
    count = len(inside.steps) + performed
    if not count and not inside.facts and not inside.insides:
        return ""
    if not count:
        return f"; {more} shows it"
    return f"; {more} shows {counted(count, 'step')} of it"
