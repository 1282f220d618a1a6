"""Zstandard files, decompressed piece by piece."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from sesls.formats import files

_BLOCK = 1 << 20


class UnreadableError(Exception):
    """Some bytes are no Zstandard frame, or a frame that ends too early."""


def blocks(path: str, limit: int) -> Iterator[bytes]:
    """Yield the decompressed content of a file in pieces, at most about `limit` bytes of it in all.

    Raises OSError, and UnreadableError where the compressed bytes are damaged; what came before was good.
    """
    # The import costs some milliseconds that only a home with compressed files should pay.
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd

    descriptor = files.opened(path)
    try:
        with open(descriptor, "rb", closefd=False) as compressed, zstd.ZstdFile(compressed) as file:
            while limit > 0 and (piece := file.read(min(_BLOCK, limit))):
                limit -= len(piece)
                yield piece
    except (zstd.ZstdError, EOFError) as error:
        raise UnreadableError(str(error)) from error
    finally:
        os.close(descriptor)
