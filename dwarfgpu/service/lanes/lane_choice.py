"""Select lanes of a wave: `all`, `active`, `inactive`, `0-3,7`."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.topology import model_of
from dwarfgpu.service.lanes.lane_count import checked_lanes, no_such_lane
from dwarfgpu.session.lane_states import LaneState
from dwarfgpu.session.session import Session

CHOICES: Final[dict[str, tuple[bool | None, ...]]] = {
    "all": (True, False, None),
    "active": (True,),
    "inactive": (False,),
}
"""What `-active` and the like mean, by whether a lane is active."""
_LIST = pattern(
    r"[0-9]{1,20}(?:-[0-9]{1,20})?(?:,[0-9]{1,20}(?:-[0-9]{1,20})?)+|[0-9]{1,20}-[0-9]{1,20}"
)


def all_lanes(session: Session) -> range:
    """Return the lanes of the wave, limited by `checked_lanes`."""
    return range(checked_lanes(session.lane_count()[0]))


def no_lanes(session: Session) -> str:
    """Return the message about a lane of a thread that has none."""
    model = model_of(session.target)
    advice = "" if model is None or not model.agents else "; --wave N chooses a wave of a GPU"
    return f"a thread of {session.architecture.name} has no lanes{advice}"


def is_choice(text: str | None) -> bool:
    """Return whether `--lane` selects several lanes: all, active, inactive, `0-3,7`."""
    return text in CHOICES or (text is not None and _LIST.fullmatch(text) is not None)


def chosen_states(session: Session, choice: str | None) -> list[LaneState]:
    """Return the states of the chosen lanes; `UsageError` for one that the wave does not have."""
    lanes = all_lanes(session)
    if choice in (None, "all"):
        return session.lane_states(lanes)
    if choice in CHOICES:
        states = session.lane_states(lanes)
        return [state for state in states if state.is_active is (choice == "active")]
    return session.lane_states(listed_lanes(choice or "", len(lanes)))


def listed_lanes(text: str, lane_count: int) -> list[int]:
    """Return the lanes of a list, such as `0-3,7`, or of one number; `UsageError` for one that a
    wave of `lane_count` lanes does not have."""
    chosen: set[int] = set()
    for word in text.split(","):
        first, _, last = word.partition("-")
        end = int(last or first)
        if int(first) > end:
            raise UsageError(f"--lane {word}: a range begins with its lower lane: {last}-{first}")
        if end >= lane_count:
            raise UsageError(no_such_lane(f"--lane {word}", lane_count))
        chosen.update(range(int(first), end + 1))
    return sorted(chosen)
