"""Compressed files are unpacked piece by piece, and whatever is whole of a damaged one is given."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from sesls.formats import files, zstd
from tests.builders.common import put
from tests.builders.zstd import compressed, frame, with_window

NO_LIMIT = 1 << 40
TEXT = b"".join(b"line %d of many\n" % number for number in range(200_000))
NOISE = random.Random(7).randbytes(1_000_000).hex().encode()
"""Text that is equally dense everywhere."""


def unpacked(path: Path, limit: int = NO_LIMIT) -> tuple[bytes, bool]:
    """Return what comes out of a file, and whether it ends in damage."""
    data = b""
    try:
        for piece in zstd.blocks(str(path), limit):
            data += piece
    except zstd.UnreadableError:
        return data, True
    return data, False


@pytest.mark.parametrize("data", [b"", b"x", b"one\ntwo\n", b"\x00" * 5_000_000, TEXT])
def test_what_was_compressed_comes_out(tmp_path: Path, data: bytes) -> None:
    assert unpacked(put(tmp_path / "a.zst", compressed(data))) == (data, False)


def test_a_file_of_no_bytes_holds_nothing(tmp_path: Path) -> None:
    assert unpacked(put(tmp_path / "a.zst", b"")) == (b"", False)


def test_frames_of_stored_blocks_are_read(tmp_path: Path) -> None:
    assert unpacked(put(tmp_path / "a.zst", frame([b"one\n", b"", b"two\n"]))) == (b"one\ntwo\n", False)


def test_several_frames_are_one_text(tmp_path: Path) -> None:
    whole = compressed(b"one\n") + frame([b"two\n"]) + compressed(b"three\n")

    assert unpacked(put(tmp_path / "a.zst", whole)) == (b"one\ntwo\nthree\n", False)


def test_it_comes_in_pieces(tmp_path: Path) -> None:
    path = put(tmp_path / "a.zst", compressed(TEXT))

    sizes = [len(piece) for piece in zstd.blocks(str(path), NO_LIMIT)]

    assert len(sizes) > 2
    assert max(sizes) <= 1 << 20


@pytest.mark.parametrize(("window_log", "expected"), [(21, (TEXT, False)), (26, (TEXT, False)), (27, (b"", True))])
def test_a_frame_that_needs_much_memory_is_damage(
    tmp_path: Path, window_log: int, expected: tuple[bytes, bool]
) -> None:
    assert unpacked(put(tmp_path / "a.zst", with_window(TEXT, window_log))) == expected


@pytest.mark.parametrize("limit", [0, 1, 1000, (1 << 20) + 1])
def test_no_more_is_unpacked_than_the_limit(tmp_path: Path, limit: int) -> None:
    assert unpacked(put(tmp_path / "a.zst", compressed(TEXT)), limit) == (TEXT[:limit], False)


def test_a_bomb_is_unpacked_to_the_limit_and_no_further(tmp_path: Path) -> None:
    bomb = compressed(b"\x00" * (64 << 20))

    data, _ = unpacked(put(tmp_path / "a.zst", bomb), 2 << 20)

    assert len(bomb) < 10_000
    assert len(data) == 2 << 20


@pytest.mark.parametrize("content", [b"(", b"garbage", b"\x00" * 99, b'{"plain": "text"}\n', compressed(TEXT)[:9]])
def test_what_is_no_frame_is_damage(tmp_path: Path, content: bytes) -> None:
    assert unpacked(put(tmp_path / "a.zst", content)) == (b"", True)


@pytest.mark.parametrize("cut", range(1, 8))
def test_what_came_before_a_cut_is_given(tmp_path: Path, cut: int) -> None:
    whole = frame([b"one\n", b"two\n", b"three\n"])

    data, is_damaged = unpacked(put(tmp_path / "a.zst", whole[:-cut]))

    assert is_damaged
    assert data.startswith(b"one\ntwo\n")
    assert b"one\ntwo\nthree\n".startswith(data)


@pytest.mark.parametrize("share", [0.2, 0.4, 0.9])
def test_what_came_before_a_cut_in_a_real_file_is_given(tmp_path: Path, share: float) -> None:
    whole = compressed(NOISE)

    data, is_damaged = unpacked(put(tmp_path / "a.zst", whole[: int(len(whole) * share)]))

    assert is_damaged
    assert NOISE.startswith(data)
    assert len(data) > share * len(NOISE) - (256 << 10)


@pytest.mark.parametrize("behind", [b"garbage", b"\x00" * 512])
def test_what_came_before_garbage_is_given(tmp_path: Path, behind: bytes) -> None:
    assert unpacked(put(tmp_path / "a.zst", compressed(b"one\ntwo\n") + behind)) == (b"one\ntwo\n", True)


def test_nothing_wrong_comes_out_of_a_flipped_byte(tmp_path: Path) -> None:
    whole = bytearray(compressed(TEXT))
    whole[len(whole) * 3 // 4] ^= 0xFF

    data, is_damaged = unpacked(put(tmp_path / "a.zst", bytes(whole)))

    assert is_damaged
    assert TEXT.startswith(data)


def test_a_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        next(zstd.blocks(str(tmp_path / "a.zst"), NO_LIMIT))


def test_a_folder_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"not a regular file|directory|denied"):
        next(zstd.blocks(str(tmp_path), NO_LIMIT))


@pytest.fixture
def descriptors(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Those of the files that are opened from here on."""
    found: list[int] = []
    opened = files.opened

    def noting_opened(path: str) -> int:
        found.append(opened(path))
        return found[-1]

    monkeypatch.setattr(files, "opened", noting_opened)
    return found


@pytest.mark.parametrize("content", [compressed(TEXT), b"garbage"])
def test_a_file_is_closed_again(tmp_path: Path, content: bytes, descriptors: list[int]) -> None:
    unpacked(put(tmp_path / "a.zst", content))

    with pytest.raises(OSError, match="descriptor"):
        os.fstat(descriptors[0])


def test_a_file_that_is_not_read_to_its_end_is_closed_again(tmp_path: Path, descriptors: list[int]) -> None:
    pieces = zstd.blocks(str(put(tmp_path / "a.zst", compressed(TEXT))), NO_LIMIT)
    next(pieces)
    pieces.close()  # type: ignore[attr-defined]

    with pytest.raises(OSError, match="descriptor"):
        os.fstat(descriptors[0])
