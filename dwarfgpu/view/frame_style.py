"""The amount of detail in a frame's line."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.view.format_options import DEFAULT_OPTIONS, FormatOptions, Symbolize


@frozen
class FrameStyle:
    """GDB's `set print frame-arguments`, `frame-info`, `address` …; the defaults are its own."""

    arguments: str = "scalars"
    """all, scalars (aggregates are `...`), none (all are) or presence (one `...` for all)."""
    info: str = "auto"
    """auto, source-line, location, source-and-location, location-and-address, short-location."""
    entry_values: str = "default"
    """GDB's `set print entry-values`: no, only, preferred, if-needed, both, compact, default."""
    is_past_main: bool = False
    """Whether the callers of main are frames too: GDB's `set backtrace past-main`."""
    options: FormatOptions = DEFAULT_OPTIONS
    """The format of the arguments' values, and whether addresses are shown."""
    symbolize: Symbolize | None = None
    """Names the addresses among them; None: by the symbols of the code objects."""

    @property
    def has_address(self) -> bool:
        """Whether the frame's address is shown where it is not where a line begins."""
        return self.options.address

    @property
    def is_always_addressed(self) -> bool:
        """Whether it is shown there too."""
        return self.has_address and self.info == "location-and-address"

    @property
    def has_position(self) -> bool:
        """Whether file and line are shown."""
        return self.info != "short-location"

    def has_location(self, *, has_source: bool) -> bool:
        """Return whether there is a line for the frame itself; always where there is none of
        source."""
        return self.info != "source-line" or not has_source

    def has_source(self, *, is_focus: bool) -> bool:
        """Return whether its line of source text is shown: by default that of the frame in
        focus."""
        return self.info in ("source-line", "source-and-location") or (
            self.info == "auto" and is_focus
        )


DEFAULT_STYLE: Final = FrameStyle()


def frame_number(number: int) -> str:
    """Return `#7  ` and `#100 `: two columns, as in GDB, and a blank after longer numbers."""
    return f"#{number:<2} "
