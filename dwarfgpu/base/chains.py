"""Chains of links that each lead to one other, as a typedef does to the type that it names.

Law: a chain is followed once, whichever of its links are asked about, in whichever order, and also
if it does not end.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from dwarfgpu.base.records import frozen
from dwarfgpu.errors import DwarfGpuError

Link = TypeVar("Link", bound=Hashable)
Found = TypeVar("Found")


@frozen(eq=False)
class End(Generic[Found]):
    """What is at the end of a chain, or why that is unknown."""

    value: Found | DwarfGpuError
    links: int = 0
    """How many lead to it, from one on."""

    def get(self) -> Found:
        """Return what is at the end; raises the error."""
        if isinstance(self.value, DwarfGpuError):
            raise self.value.anew()
        return self.value


def ends_of(
    start: Link,
    after: Callable[[Link], Link | End[Found]],
    most: int,
    endless: Callable[[Link], DwarfGpuError],
    through: Callable[[Link, Found], Found] = lambda _, end: end,
) -> dict[Link, End[Found]]:
    """Return the ends of the first link and of those after it whose ends are known then: the caller
    keeps them.

    `after`: the link to which one leads, or the end, also that kept for this link. `endless`: the
    error for one with more than `most` links to its end, or without one. `through`: the end of a
    link, from that of the link after it; the same where the link adds nothing.
    """
    passed: dict[Link, None] = {}
    following: Link | End[Found] = start
    while not isinstance(following, End):
        if following in passed:
            return {link: End(endless(link), most) for link in passed}
        if len(passed) == 2 * most:  # whatever comes, the first half has too many links to it
            return {link: End(endless(link), most) for link in list(passed)[:most]}
        passed[following] = None
        try:
            following = after(following)
        except DwarfGpuError as error:
            following = End(error.anew())
    ends: dict[Link, End[Found]] = {}
    value, links = following.value, following.links
    for link in reversed(passed):
        links += 1
        if links > most:
            value = endless(link)
        elif not isinstance(value, DwarfGpuError):
            value = through(link, value)
        ends[link] = End(value, links)
    return ends
