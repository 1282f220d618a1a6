"""Zstandard files: real ones, and frames put together by hand."""

from __future__ import annotations

import sys
from collections.abc import Iterable

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_MAGIC = b"\x28\xb5\x2f\xfd"
_SINGLE_SEGMENT_OF_8_BYTES_SIZE = b"\xe0"


def compressed(data: bytes) -> bytes:
    """Return data compressed as Codex does it: one frame, level 3."""
    return zstd.compress(data, level=3)


def with_window(data: bytes, window_log: int) -> bytes:
    """Return data compressed so that as much as two to the power of that has to be held to unpack it."""
    options: dict[int, int] = {
        zstd.CompressionParameter.window_log: window_log,
        zstd.CompressionParameter.content_size_flag: 0,
    }
    packer = zstd.ZstdCompressor(options=options)
    return packer.compress(data) + packer.flush()


def with_zeros(data: bytes, size: int) -> bytes:
    """Return data compressed with so many NUL bytes after them, which take next to nothing."""
    packer, zeros = zstd.ZstdCompressor(), bytes(1 << 24)
    pieces = [packer.compress(data), *(packer.compress(zeros) for _ in range(size >> 24)), packer.flush()]
    return b"".join(pieces)


def frame(blocks: Iterable[bytes]) -> bytes:
    """Return a frame of blocks that are stored as they are, so that a cut can be made between any two bytes."""
    pieces = list(blocks)
    head = _MAGIC + _SINGLE_SEGMENT_OF_8_BYTES_SIZE + sum(map(len, pieces)).to_bytes(8, "little")
    return head + b"".join(
        (len(piece) << 3 | (number == len(pieces))).to_bytes(3, "little") + piece
        for number, piece in enumerate(pieces, 1)
    )
