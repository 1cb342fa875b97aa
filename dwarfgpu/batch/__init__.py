"""The same question about many object files: in this process, in several, or on a farm."""

from dwarfgpu.batch.examine import Options, examine, examine_all
from dwarfgpu.objfile.collection.members import Member, Wanted, members

__all__ = ["Member", "Options", "Wanted", "examine", "examine_all", "members"]
