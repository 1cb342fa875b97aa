"""All structural bombs."""

from __future__ import annotations

from typing import Final

from tools.bombs import (
    addresses,
    archives,
    companions,
    containers,
    damaged,
    entries,
    holes,
    languages,
    lookups,
    machines,
    nesting,
    objects,
    one_name,
    sections,
    stacks,
)

BOMBS: Final = (
    *entries.BOMBS,
    *lookups.BOMBS,
    *nesting.BOMBS,
    *languages.BOMBS,
    *sections.BOMBS,
    *stacks.BOMBS,
    *machines.BOMBS,
    *containers.BOMBS,
    *damaged.BOMBS,
    *archives.BOMBS,
    *objects.BOMBS,
    *companions.BOMBS,
    *addresses.BOMBS,
    *holes.BOMBS,
    *one_name.BOMBS,
)
