"""Bombs of archives and packages: very many files, files in one another, compression."""

from __future__ import annotations

from typing import Final

from tests.dwarf.builder import elf
from tests.objfile import archives
from tools.bombs.model import Bomb, Files

_COMMANDS: Final = ("info bomb", "check bomb", "where --all bomb")


def zip_files(count: int) -> Files:
    """Files that are not object files."""
    return {"bomb": archives.zipped({f"f{number}": b"x" for number in range(count)})}


def zip_objects(count: int) -> Files:
    """One object file, and zeros behind it."""
    return {"bomb": archives.zipped({"f.o": elf({".text": b""}) + bytes(count)})}


def ar_members(count: int) -> Files:
    return {"bomb": archives.ar([("f", b"")] * count)}


def ar_names(count: int) -> Files:
    """Names that all begin in one that has no end for long."""
    table = archives.ar_member(b"//", b"n" * count + b"/\n")
    members = b"".join(archives.ar_member(b"/%d" % number, b"") for number in range(count))
    return {"bomb": b"!<arch>\n" + table + members}


def ar_archives(count: int) -> Files:
    """Archives in one another."""
    data = b"!<arch>\n"
    for _ in range(count):
        data = b"!<arch>\n" + archives.ar_member(b"a/", data)
    return {"bomb": data}


def thin_archive(count: int) -> Files:
    """A thin archive that names itself."""
    return {"bomb": archives.ar([("bomb", b"")] * count, magic=b"!<thin>\n")}


def thin_chain(count: int) -> Files:
    """Thin archives that name one another."""
    magic = b"!<thin>\n"
    files = {
        f"f{number}": archives.ar([(f"f{number + 1}", b"")], magic=magic) for number in range(count)
    }
    return files | {"bomb": archives.ar([("f0", b"")], magic=magic), f"f{count}": elf({})}


def thin_names(count: int) -> Files:
    """A thin archive of names that go down and up again, from one table."""
    table = archives.ar_member(b"//", b"d/../" * 3_000 + b"f.o/\n")
    rows = (
        archives.ar_member(b"/%d" % (5 * number), b"", with_data=False) for number in range(count)
    )
    return {"bomb": b"!<thin>\n" + table + b"".join(rows)}


def package_files(count: int) -> Files:
    return {"bomb": archives.deb({f"f{number}": b"" for number in range(count)})}


def inflated_package(count: int) -> Files:
    """One file of zeros, in one block of gzip."""
    return {"bomb": archives.deb({"f": bytes(count)}, "gz")}


BOMBS: Final = (
    Bomb("zip-files", "zip", "{} files", zip_files, 60_000, _COMMANDS),
    Bomb(
        "zip-zeros", "zip", "an object file and {} zeros", zip_objects, 200_000_000, _COMMANDS,
        says="--max-inflated-ratio",
    ),
    Bomb("ar-members", "ar archive", "{} members", ar_members, 60_000, _COMMANDS),
    Bomb("ar-names", "ar archive", "{} names that overlap", ar_names, 60_000, _COMMANDS),
    Bomb(
        "ar-archives", "ar archive", "{} archives in one another", ar_archives, 5_000, _COMMANDS,
        says="archives in one another",
    ),
    Bomb("thin-archive", "ar archive", "a thin one with itself {} times", thin_archive, 60_000,
         _COMMANDS),
    Bomb("thin-chain", "ar archive", "{} thin ones that name the next one", thin_chain, 1_000,
         _COMMANDS, small=50),
    Bomb("thin-names", "ar archive", "a thin one of {} names of up to 15,000 bytes", thin_names,
         3_000, _COMMANDS, says="LimitExceeded", small=2),
    Bomb("package-files", "Debian package", "{} files", package_files, 60_000, _COMMANDS),
    Bomb(
        "package-zeros", "Debian package", "{} zeros in one block", inflated_package, 300_000_000,
        _COMMANDS, says="--max-inflated-bytes",
    ),
)  # fmt: skip
