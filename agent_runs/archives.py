"""Packed logs: by gzip, xz or zstd, and those of Inspect AI in the form ``.eval``.

The latter are zip files with one JSON file for each sample, packed with zstd (method 93), which
`zipfile` reads from Python 3.14 on. Before, zstd takes the package ``zstandard`` or
``backports.zstd``.
"""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from io import BufferedReader, BytesIO, RawIOBase
from typing import IO, Any, Final
from zipfile import BadZipFile, ZipFile, ZipInfo

from agent_parsers import OutputParserException
from agent_runs.json_items import load_json
from agent_runs.reading.reader import Value, Values

MAGIC: Final = b"PK\x03\x04"
"""The first bytes of a zip file."""
_ZSTD: Final = 93
_LOCAL_HEADER: Final = 30
"""Size of the header before a file, without its name and extra field."""


def samples_in(stream: IO[bytes]) -> Values:
    """Return the samples in the zip file *stream*; each one is read only when needed.

    Raises:
        OutputParserException: There are no samples in the file, it is broken, or its compression
            is unknown.
    """
    source = stream if stream.seekable() else BytesIO(stream.read())
    try:
        archive = ZipFile(source)
    except BadZipFile as error:
        raise _refusal(f"the zip file is broken: {error}") from error
    names = [
        info
        for info in archive.infolist()
        if info.filename.startswith("samples/") and info.filename.endswith(".json")
    ]
    if not names:
        raise _refusal("expected a zip file with samples, as written by Inspect AI")
    return Values(_samples(archive, source, names), are_items=True)


def _samples(archive: ZipFile, source: IO[bytes], names: list[ZipInfo]) -> Iterator[Value]:
    for info in names:
        try:
            yield Value(load_json(_unpacked(archive, source, info).decode()))
        except (BadZipFile, ValueError) as error:
            raise _refusal(f"{info.filename} in the zip file is broken: {error}") from error


def _unpacked(archive: ZipFile, source: IO[bytes], info: ZipInfo) -> bytes:
    try:
        return archive.read(info)
    except NotImplementedError as error:  # the method is unknown to this version of Python
        decompress = _zstd() if info.compress_type == _ZSTD else None
        if decompress is None:
            raise _refusal(
                "the samples are compressed with zstd, which needs Python 3.14, or the package"
                " backports.zstd or zstandard: pip install backports.zstd"
            ) from error
    source.seek(info.header_offset)
    header = source.read(_LOCAL_HEADER)
    names = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
    source.seek(names, 1)
    unpacked: bytes = decompress(source.read(info.compress_size))
    return unpacked


class _Unpacked(RawIOBase):
    """What an *inner* stream unpacks; what is broken in it is an error of ours."""

    def __init__(self, inner: IO[bytes]) -> None:
        self._inner = inner

    def readable(self) -> bool:
        """Return `True`, since the stream is open for reading."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read bytes into *buffer*, and return how many were read."""
        try:
            read = self._inner.read(len(buffer))
        except OutputParserException:
            raise
        except Exception as error:  # each package has its own
            if isinstance(error, OSError) and error.errno is not None:
                raise
            reason = f"the compressed file is broken or incomplete: {error}"
            raise OutputParserException(reason, observation="Compress the log again.") from error
        buffer[: len(read)] = read
        return len(read)


def unpacking(stream: IO[bytes], start: bytes) -> IO[bytes] | None:
    """Return a stream that decompresses *stream*; `None` if it is not compressed.

    Raises:
        OutputParserException: It is compressed with zstd, and no package for that is installed.
    """
    if start.startswith(b"\x1f\x8b"):
        inner: Any = gzip.GzipFile(fileobj=stream, mode="rb")
    elif start.startswith(b"\xfd7zXZ\x00"):
        inner = lzma.LZMAFile(stream)  # noqa: SIM115 - as above
    elif start.startswith(b"\x28\xb5\x2f\xfd"):
        inner = _unpacking_zstd(stream)
    else:
        return None
    return BufferedReader(_Unpacked(inner))


def _unpacking_zstd(stream: IO[bytes]) -> Any:
    for name in ("compression.zstd", "backports.zstd"):
        with suppress(ImportError):
            return import_module(name).ZstdFile(stream)
    try:
        unpacker = import_module("zstandard").ZstdDecompressor()
    except ImportError:
        raise OutputParserException(
            "the log is compressed with zstd, which needs Python 3.14, or the package"
            " backports.zstd or zstandard: pip install backports.zstd",
            observation="Install the package, or decompress the log.",
        ) from None
    return unpacker.stream_reader(stream, read_across_frames=True)


def _zstd() -> Any:
    """Return the function that decompresses zstd; `None` if nothing here does."""
    with suppress(ImportError):
        return import_module("zstandard").ZstdDecompressor().decompressobj().decompress
    with suppress(ImportError):
        return import_module("backports.zstd").decompress
    return None


def _refusal(reason: str) -> OutputParserException:
    return OutputParserException(
        reason, observation="Give the log as JSON, as `inspect log convert --to json` writes it."
    )
