"""Archives for tests, byte by byte as the formats say."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Mapping


def ar(
    files: Mapping[str, bytes] | list[tuple[str, bytes]], *, magic: bytes = b"!<arch>\n"
) -> bytes:
    """An archive of GNU ar, with a table of long names where one is needed."""
    rows = list(files.items()) if isinstance(files, Mapping) else files
    table, out = b"", b""
    for name, data in rows:
        short = f"{name}/".encode()
        if len(short) > 16 or "/" in name:
            short = f"/{len(table)}".encode()
            table += f"{name}/\n".encode()
        out += ar_member(short, data, with_data=magic == b"!<arch>\n")
    symbols = ar_member(b"/", b"\0\0\0\0")
    return magic + symbols + (ar_member(b"//", table) if table else b"") + out


def ar_member(name: bytes, data: bytes, *, with_data: bool = True) -> bytes:
    header = name.ljust(16) + b"0".ljust(12) + b"0".ljust(6) * 2 + b"644".ljust(8)
    header += str(len(data)).encode().ljust(10) + b"`\n"
    return header + (data + b"\n" * (len(data) % 2) if with_data else b"")


def bsd_ar(files: Mapping[str, bytes]) -> bytes:
    """An archive of BSD ar: every name before its data, and a table of symbols."""
    out = b"!<arch>\n" + ar_member(b"__.SYMDEF SORTED", b"\0" * 8)
    for name, data in files.items():
        padded = name.encode().ljust(-(-len(name) // 4) * 4 + 4, b"\0")
        out += ar_member(f"#1/{len(padded)}".encode(), padded + data)
    return out


def tar(
    files: Mapping[str, bytes], format: int = tarfile.GNU_FORMAT, compression: str = ""
) -> bytes:
    """A tar archive; a value that begins with `->` is a link."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=f"w:{compression}", format=format) as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            if data.startswith(b"->"):
                info.type, info.linkname = tarfile.SYMTYPE, data[2:].decode()
                archive.addfile(info)
                continue
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def deb(files: Mapping[str, bytes], compression: str = "xz") -> bytes:
    """A Debian package (deb(5)): its names have no slash at their ends."""
    suffix = f".{compression}" if compression else ""
    control = tar({"./control": b"Package: x\n"}, compression=compression)
    data = tar(files, compression=compression)
    return b"!<arch>\n" + b"".join(
        ar_member(name, content)
        for name, content in (
            (b"debian-binary", b"2.0\n"),
            (f"control.tar{suffix}".encode(), control),
            (f"data.tar{suffix}".encode(), data),
        )
    )


def zipped(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive of zip, as a wheel is one."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()
