"""A session's title is its own; one that nobody gave gives way to the first prompt."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.session import Session
from tests.builders.common import at, put
from tests.builders.opencode import (
    DATABASES,
    GENERATIONS,
    MESSAGES,
    PARTS,
    V2_MESSAGES,
    Message,
    assistant,
    change,
    database,
    record,
    session,
    text_part,
    user,
    v2_database,
)
from tests.conftest import Ask

Only = Callable[..., Session]

every_generation = pytest.mark.parametrize("version", GENERATIONS)
both_kinds = pytest.mark.parametrize("version", ["1.1", "1.18"])
with_parts = pytest.mark.parametrize("version", [version for version in GENERATIONS if version != "2"])

NOBODYS = [
    f"New session - {at()}",
    f"New Session - {at()}",
    f"Child session - {at()}",
    "",
    "  \n",
    None,
    ...,
]


@every_generation
def test_the_title_of_a_session_is_its_own(home: Path, only: Only, version: str) -> None:
    GENERATIONS[version](home, session(messages=[user("Graft the plum")], title="Grafting plums"))

    assert only().title == "Grafting plums"


@every_generation
@pytest.mark.parametrize("title", NOBODYS)
def test_a_title_that_nobody_gave_gives_way_to_the_first_prompt(
    home: Path, only: Only, version: str, title: object
) -> None:
    messages = [user("Graft the plum"), assistant(), user("And the quince", seconds=60)]
    GENERATIONS[version](home, session(messages=messages, title=title))

    assert only().title == "Graft the plum"


@both_kinds
@pytest.mark.parametrize(
    "title", ["New session - tomorrow", f"new session - {at()}", f"My New session - {at()}", "New"]
)
def test_a_title_much_like_one_that_nobody_gave_is_one(home: Path, only: Only, version: str, title: str) -> None:
    GENERATIONS[version](home, session(title=title))

    assert only().title == title


@both_kinds
@pytest.mark.parametrize("title", [title for title in NOBODYS if isinstance(title, str) and title.strip()])
def test_a_title_made_of_a_time_stays_where_there_is_no_prompt(
    home: Path, only: Only, version: str, title: str
) -> None:
    GENERATIONS[version](home, session(messages=[assistant()], title=title))

    assert only().title == title


@both_kinds
@pytest.mark.parametrize("title", ["", " ", None, ...])
def test_a_session_without_a_title_and_a_prompt_has_none(home: Path, only: Only, version: str, title: object) -> None:
    GENERATIONS[version](home, session(messages=[assistant()], title=title))

    assert only().title is None


@both_kinds
@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("  padded  ", "padded"),
        ("line one\nline two\ttab", "line one line two tab"),
        ("esc \x1b[31mred\x1b[0m \u202eturned", "esc red turned"),
        ("x" * 600, "x" * 200 + "…"),
        ("日本語 🌳", "日本語 🌳"),
        ("[/] [bold]", "[/] [bold]"),
    ],
)
def test_a_title_is_shown_on_one_line(home: Path, only: Only, version: str, title: str, shown: str) -> None:
    GENERATIONS[version](home, session(title=title))

    assert only().title == shown


@both_kinds
def test_a_title_of_which_nothing_can_be_seen_gives_way_to_the_first_prompt(
    home: Path, only: Only, version: str
) -> None:
    GENERATIONS[version](home, session(title="\u200b\u2060"))

    assert only().title == "Prompt 1"


@both_kinds
def test_a_secret_in_a_title_is_masked(home: Path, ask: Ask, version: str) -> None:
    GENERATIONS[version](home, session(title="Use ghp_" + "a1B2" * 9))

    page = ask()

    assert page.sessions[0].title == "Use [REDACTED_GITHUB_TOKEN]"
    assert page.redactions == {"GITHUB_TOKEN": 1}


@both_kinds
def test_a_secret_in_a_first_prompt_is_masked(home: Path, only: Only, version: str) -> None:
    GENERATIONS[version](home, session(messages=[user("Use ghp_" + "a1B2" * 9)], title=""))

    assert only().title == "Use [REDACTED_GITHUB_TOKEN]"


# The first prompt


@with_parts
def test_the_first_text_of_a_prompt_is_its_words(home: Path, only: Only, version: str) -> None:
    prompt = user("Graft the plum", "And the quince")
    GENERATIONS[version](home, session(messages=[prompt], title=""))

    assert only().title == "Graft the plum"


@both_kinds
@pytest.mark.parametrize(
    "part",
    [
        text_part("Called the following tool", synthetic=True),
        text_part(" \n"),
        {"type": "file", "url": "data:image/png;base64,AAAA", "filename": "plum.png"},
        {"type": "agent", "name": "explore"},
        {"type": "reasoning", "text": "Thinking of plums"},
        {"type": "text"},
        {"type": "text", "text": None},
        {"type": "text", "text": 7},
        {"type": 7, "text": "Odd"},
        {"text": "Of no type"},
        {},
    ],
)
def test_parts_that_are_no_words_of_a_person_are_passed_over(
    home: Path, only: Only, version: str, part: dict[str, object]
) -> None:
    prompt = Message(user().data, [part, text_part("Graft the plum")])
    GENERATIONS[version](home, session(messages=[prompt], title=""))

    assert only().title == "Graft the plum"


@with_parts
def test_a_prompt_without_words_gives_way_to_the_next(home: Path, only: Only, version: str) -> None:
    image = Message(user().data, [{"type": "file", "url": "data:image/png;base64,AAAA"}])
    GENERATIONS[version](home, session(messages=[image, user("Graft the plum", seconds=60)], title=""))

    assert only().title == "Graft the plum"


@with_parts
def test_a_blank_prompt_gives_way_to_the_next(home: Path, only: Only, version: str) -> None:
    GENERATIONS[version](home, session(messages=[user("  \n"), user("Graft the plum", seconds=60)], title=""))

    assert only().title == "Graft the plum"


@pytest.mark.parametrize("text", ["", "  \n"])
def test_a_blank_prompt_of_2_gives_way_to_the_next(home: Path, only: Only, text: str) -> None:
    v2_database(home, [session(messages=[user(text), user("Graft the plum", seconds=60)], title=None)])

    assert only().title == "Graft the plum"


def test_the_words_of_2_count_where_the_tables_of_1_x_lie_beside_them(home: Path, only: Only) -> None:
    messages = [user(""), user("Graft the plum", seconds=60)]
    v2_database(home, [session(messages=messages, title=None)], others=(MESSAGES, PARTS, V2_MESSAGES))

    assert only().title == "Graft the plum"


@pytest.mark.parametrize("version", ["1.2", "1.18"])
def test_parts_are_read_in_the_order_of_their_ids_whatever_the_order_of_rows(
    home: Path, only: Only, version: str
) -> None:
    path = DATABASES[version](home, session(messages=[user("And the quince", "Graft the plum")], title=""))
    change(path, "UPDATE part SET id = 'prt_9' || id WHERE id LIKE 'prt_0%'")

    assert only().title == "Graft the plum"


@every_generation
def test_what_the_agent_said_is_no_prompt(home: Path, only: Only, version: str) -> None:
    GENERATIONS[version](home, session(messages=[assistant(0), user("Graft the plum")], title=""))

    assert only().title == "Graft the plum"


@pytest.mark.parametrize("version", DATABASES)
def test_the_first_prompt_is_the_earliest_whatever_the_order_of_rows(home: Path, only: Only, version: str) -> None:
    later, earlier = user("And the quince", seconds=60), user("Graft the plum")
    path = DATABASES[version](home, session(messages=[later, earlier], title=""))
    if version == "2":
        change(path, "UPDATE session_message SET seq = 10 - seq")

    assert only().title == "Graft the plum"


@every_generation
def test_the_first_prompt_may_be_huge(home: Path, only: Only, version: str) -> None:
    GENERATIONS[version](home, session(messages=[user("Graft " + "plums " * 500_000)], title=""))

    assert str(only().title).startswith("Graft plums plums")


@pytest.mark.parametrize("content", ["Graft the plum", [text_part("Graft the plum")]])
def test_a_prompt_of_2_may_carry_its_words_as_content(home: Path, only: Only, content: object) -> None:
    prompt = Message({"content": content, "time": {}}, kind="user")
    v2_database(home, [session(messages=[prompt], title=None)])

    assert only().title == "Graft the plum"


def test_each_session_of_a_database_has_its_own_first_prompt(home: Path, ask: Ask) -> None:
    database(home, [session(number, title="") for number in range(1, 30)])

    assert {found.title for found in ask().sessions} == {f"Prompt {number}" for number in range(1, 30)}


def test_the_words_of_a_message_with_another_id_are_not_taken(home: Path, only: Only) -> None:
    path = database(home, [session(title="")])
    change(path, "UPDATE part SET message_id = 'msg_other'")

    assert only().title is None


DOTS = ".."


@pytest.mark.parametrize("name", ["../elsewhere", "../../elsewhere", "{home}/elsewhere", DOTS])
def test_a_message_that_names_itself_a_path_leads_nowhere(home: Path, only: Only, name: str) -> None:
    name = name.format(home=home)
    path = record(home, session(messages=[Message({"id": name, "role": "user"})], title=""))
    part = path.parents[2] / "part" / "folder"
    part.mkdir(parents=True)
    put(part.parent / name / "prt_0.json", json.dumps(text_part("From elsewhere")))

    assert (only().title, only().message_count) == (None, 1)
