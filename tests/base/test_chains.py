"""Chains of links that each lead to one other."""

from __future__ import annotations

import random

import pytest

from dwarfgpu.base.chains import End, ends_of
from dwarfgpu.errors import DwarfGpuError, IllFormed, Malformed

MOST = 10


class Numbers:
    """Links that lead to the number before them, and 0 to an end."""

    def __init__(self) -> None:
        self.ends: dict[int, End[str]] = {}
        self.steps = 0

    def after(self, link: int) -> int | End[str]:
        self.steps += 1
        return self.ends.get(link - 1, link - 1) if link else End("end")

    def ask(self, link: int) -> str:
        if link not in self.ends:
            self.ends |= ends_of(link, self.after, MOST, _endless)
        return self.ends[link].get()


def _endless(link: int) -> DwarfGpuError:
    return IllFormed(f"{link} is too far away")


@pytest.mark.parametrize("order", ["up", "down", "any"])
def test_each_link_is_followed_once_or_twice_in_any_order(order: str) -> None:
    numbers, links = Numbers(), list(range(1_000))
    if order == "down":
        links.reverse()
    elif order == "any":
        random.Random(1).shuffle(links)
    for link in links:
        if link < MOST:
            assert numbers.ask(link) == "end"
        else:
            with pytest.raises(IllFormed, match=f"{link} is too far away"):
                numbers.ask(link)
    assert numbers.steps <= 2 * len(links)


@pytest.mark.parametrize("first", [0, 3, 7])
def test_a_circle_and_what_leads_into_it(first: int) -> None:
    ends = ends_of(first, lambda link: 5 if link == 9 else link + 1, MOST, _endless)
    assert set(range(first, 10)) <= set(ends)
    for end in ends.values():
        with pytest.raises(IllFormed, match="too far away"):
            end.get()


def test_the_error_of_a_link_is_that_of_those_before_it() -> None:
    def after(link: int) -> int:
        if link == 3:
            raise Malformed("cannot be read")
        return link + 1

    ends = ends_of(0, after, MOST, _endless)
    assert set(ends) == {0, 1, 2, 3}
    errors = []
    for link in ends:
        with pytest.raises(Malformed, match="cannot be read") as raised:
            ends[link].get()
        errors.append(raised.value)
    assert len(set(map(id, errors))) == 4  # each gets its own context


def test_what_links_add_to_the_end() -> None:
    """Each link adds to what the one after it has, and none to an error."""

    def after(link: int) -> int | End[str]:
        return link - 1 if link else End("end")

    def through(link: int, text: str) -> str:
        return f"{link} {text}"

    ends = ends_of(MOST + 3, after, MOST, _endless, through)
    assert {link: ends[link].get() for link in (0, 1, 2)} == {
        0: "0 end",
        1: "1 0 end",
        2: "2 1 0 end",
    }
    assert ends[MOST - 1].get() == "9 8 7 6 5 4 3 2 1 0 end"
    for link in range(MOST, MOST + 4):
        with pytest.raises(IllFormed, match=f"{link} is too far away"):
            ends[link].get()
    kept = ends_of(12, lambda link: ends[2] if link == 3 else link - 1, MOST, _endless, through)
    assert kept[4].get() == "4 3 2 1 0 end"
