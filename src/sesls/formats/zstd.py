"""Zstandard files, decompressed piece by piece."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from sesls.formats import files

_BLOCK = 1 << 18
_LARGEST_WINDOW = 26
"""The logarithm of how much a frame may need to be held: 64 MB. Codex's need 2."""


class UnreadableError(Exception):
    """Some bytes are no Zstandard frame, or a frame that ends too early."""


def blocks(path: str, limit: int) -> Iterator[bytes]:
    """Yield the decompressed content of a file in pieces, at most about `limit` bytes of it.

    Raises OSError, and UnreadableError where the compressed bytes are damaged; all that came before is yielded first.
    """
    # The import costs some milliseconds that only a home with compressed files should pay.
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd

    options: dict[int, int] = {zstd.DecompressionParameter.window_log_max: _LARGEST_WINDOW}
    descriptor = files.opened(path)
    try:
        is_inside = False
        frame = zstd.ZstdDecompressor(options=options)
        packed = b""
        while limit > 0 and (packed or not frame.needs_input or (packed := os.read(descriptor, _BLOCK))):
            piece = frame.decompress(packed, max_length=min(_BLOCK, limit))
            is_inside, packed = not frame.eof, b""
            if frame.eof:
                packed, frame = frame.unused_data, zstd.ZstdDecompressor(options=options)
            if piece:
                yield piece
            limit -= len(piece)
            if limit <= 0:
                return
        if is_inside:
            raise UnreadableError("ends within a frame")
    except zstd.ZstdError as error:
        raise UnreadableError(str(error)) from error
    finally:
        os.close(descriptor)
