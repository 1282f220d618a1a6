"""A conversation in one object: whole, or from its two ends, which tell the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sesls.adapters.gemini_family import conversation
from sesls.adapters.gemini_family.conversation import MESSAGE
from sesls.formats import jsonl
from tests.builders.common import put
from tests.builders.gemini import answered, message, said
from tests.builders.gemini import conversation as built


def printed(path: Path, found: object, indent: int | None = 2) -> str:
    return str(put(path, json.dumps(found, indent=indent)))


TEXTS = st.text(max_size=30) | st.sampled_from(
    ["\n  ]", "\n    {\n", "\n    }", '\n  "messages": [', '"', "\\", "\\\n  ]\n}", "{\n"]
)
MESSAGES = st.builds(
    lambda kind, content, extra: message(kind, content, 5, note=extra),
    st.sampled_from(["user", "gemini", "qwen", "info"]),
    TEXTS | st.lists(st.builds(lambda text: {"text": text}, TEXTS), max_size=3),
    st.recursive(TEXTS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2)),
)


@settings(deadline=None, max_examples=100)
@given(st.lists(MESSAGES, max_size=4), st.lists(MESSAGES, max_size=4), TEXTS, st.lists(TEXTS, max_size=2))
def test_both_ends_tell_what_the_whole_tells(
    tmp_path_factory: pytest.TempPathFactory,
    first: list[dict[str, Any]],
    last: list[dict[str, Any]],
    summary: str,
    directories: list[str],
) -> None:
    bulk = [answered("x" * 1000, seconds, id=str(seconds)) for seconds in range(90)]
    found = built([*first, *bulk, *last], summary=summary, directories=directories, kind="subagent")
    path = printed(tmp_path_factory.mktemp("ends") / "session-a.json", found)

    ends, whole = conversation.read_ends(path), conversation.read(path)

    assert ends is not None
    assert whole is not None
    kept = ends.messages or []
    assert 0 < len(kept) < len(whole.messages or [])
    assert kept[: len(first)] == (whole.messages or [])[: len(first)]
    assert kept[len(kept) - len(last) :] == (whole.messages or [])[len(whole.messages or []) - len(last) :]
    ends.messages = whole.messages
    assert ends == whole


@pytest.mark.parametrize("indent", [1, 3, 4, None])
def test_in_another_layout_the_whole_is_read(tmp_path: Path, indent: int | None) -> None:
    found = built([said(), *[answered("x" * 1000)] * 200])
    path = printed(tmp_path / "session-a.json", found, indent)

    ends = conversation.read_ends(path)

    assert ends is not None
    assert len(ends.messages or []) == 201


@pytest.mark.parametrize(
    ("content", "is_printed"),
    [
        (b"{\n", True),
        (b"{  \r\n ", True),
        (b"\xef\xbb\xbf{\n", True),
        (b"\n\n{\n", True),
        (b'{"a": 1}\n', False),
        (b'{ "a": 1}\n', False),
        (b"[\n", False),
        (b"", False),
        (b"\x00\x00", False),
    ],
)
def test_one_object_is_told_from_lines(tmp_path: Path, content: bytes, is_printed: bool) -> None:
    with jsonl.opened(str(put(tmp_path / "a", content))) as file:
        assert conversation.is_printed(file) is is_printed


def test_an_empty_file_is_nothing(tmp_path: Path) -> None:
    assert conversation.read_ends(str(put(tmp_path / "a", b""))) is None


@pytest.mark.parametrize("content", [b"[]", b"7", b"{", b"garbage"])
def test_what_is_no_conversation_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(ValueError, match="holds no readable record"):
        conversation.read_ends(str(put(tmp_path / "a", content)))


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Prune", "Prune"),
        ({"text": "Prune"}, "Prune"),
        ([{"text": "Pru"}, "n", {"text": "e"}], "Prune"),
        ([{"inlineData": 1}, {"text": None}, {"text": 7}], ""),
        ([], ""),
        (None, ""),
        (7, ""),
    ],
)
def test_the_text_of_a_message_is_that_of_its_parts(content: object, text: str) -> None:
    (found,) = jsonl.records([json.dumps({"type": "user", "content": content}).encode()], MESSAGE)

    assert found.text == text
