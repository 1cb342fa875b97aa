"""Texts of many lanes, in the place of a tuple of texts (as `dwarfgpu.model.lane_integers`).

Law: each lane has at least one text. A question with one answer diverges: texts are looked at one
lane at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from dwarfgpu.model.lane_integers import Divergence

# A type checker takes them for texts, as it takes `Lanes` for an integer.
if TYPE_CHECKING:
    _Texts = tuple[str, ...]
else:
    _Texts = object


class LaneTexts(_Texts):
    """Texts of several lanes, made when a lane is looked at."""

    __slots__ = ("of_lane",)

    of_lane: Callable[[int], tuple[str, ...]]
    """The texts of a lane, by its index among the lanes."""

    def __new__(cls, of_lane: Callable[[int], tuple[str, ...]]) -> LaneTexts:
        texts = object.__new__(cls)
        texts.of_lane = of_lane
        return texts

    def __bool__(self) -> bool:
        return True

    def __add__(self, more: Any) -> Any:
        """Return both, without repetition."""
        if not isinstance(more, LaneTexts):
            self._diverge()
        first, second = self.of_lane, more.of_lane
        return LaneTexts(lambda lane: tuple(dict.fromkeys(first(lane) + second(lane))))

    def _diverge(self, *_: object) -> NoReturn:
        raise Divergence(None)

    __radd__ = __eq__ = __ne__ = __contains__ = __getitem__ = __len__ = _diverge

    def __iter__(self) -> Iterator[str]:
        self._diverge()

    def __hash__(self) -> int:
        raise Divergence(None)
