"""The same question about many object files: in this process, in several, or on a farm.

`examine` answers it, `processes` distributes the files, `corpus` adds up what they say.
"""

from dwarfgpu.batch.corpus import corpus_report
from dwarfgpu.batch.corpus_html import corpus_html
from dwarfgpu.batch.examine import examine, examine_all
from dwarfgpu.batch.reading_options import Options
from dwarfgpu.batch.record_types import CorpusReport, Record
from dwarfgpu.objfile.collection.members import Member, members

__all__ = [
    "CorpusReport",
    "Member",
    "Options",
    "Record",
    "corpus_html",
    "corpus_report",
    "examine",
    "examine_all",
    "members",
]
