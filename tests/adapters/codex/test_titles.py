"""A thread's title is what Codex's own picker shows: its name, else what was asked for first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.session import Session
from tests.builders.codex import (
    Record,
    bare,
    continuing,
    environment,
    event,
    item,
    meta,
    name_index,
    numbered,
    paginated,
    raw,
    response,
    rollout,
    said,
    save,
    spawned,
    state_database,
    turn,
    wrapped,
)
from tests.builders.common import lines, put, uuid

Only = Callable[..., Session]


def completed(*parts: Record) -> list[Record]:
    """A paginated thread whose first message has these parts."""
    message = wrapped("event_msg", {"type": "item_completed", "item": {"type": "UserMessage", "content": list(parts)}})
    return numbered([meta(history_mode="paginated"), message])


def goal(objective: str, seconds: float = 1) -> Record:
    return event("thread_goal_updated", seconds, goal={"objective": objective, "status": "active"})


def test_the_first_message_is_the_title_of_a_thread_without_a_name(home: Path, only: Only) -> None:
    rollout(home, [meta(), said("Graft the plum"), said("And the quince", 60)])

    assert only().title == "Graft the plum"


def test_the_first_completed_message_is_the_title_of_a_paginated_thread(home: Path, only: Only) -> None:
    rollout(home, numbered([meta(history_mode="paginated"), item("AgentMessage", "Hi"), item("UserMessage", "Graft")]))

    assert only().title == "Graft"


def test_the_parts_of_a_message_are_read_as_one_text(home: Path, only: Only) -> None:
    others = [{"type": "image"}, {"type": "mention", "text": "@orchard.md"}]
    rollout(home, completed({"type": "text", "text": "Graft "}, *others, {"type": "text", "text": "the plum"}))

    assert only().title == "Graft the plum"


def test_the_first_message_is_found_however_much_codex_wrote_before_it(home: Path, only: Only) -> None:
    instructions = [response("x" * 50_000, role="developer"), response("<skill>" + "y" * 300_000)]
    rollout(home, lines([meta(), *instructions, said("Graft the plum")]))

    assert only().title == "Graft the plum"


def test_an_index_names_a_thread_and_its_last_line_counts(home: Path, only: Only) -> None:
    rollout(home)
    name_index(home, (1, "Old name"), (2, "Another thread"), (1, "New name"))

    assert only().title == "New name"


def test_an_empty_name_takes_no_name_away(home: Path, only: Only) -> None:
    rollout(home)
    name_index(home, (1, "New name"), (1, ""), (1, "  "))

    assert only().title == "New name"


def test_broken_lines_of_the_index_cost_only_themselves(home: Path, only: Only) -> None:
    rollout(home)
    path = name_index(home, (1, "New name"))
    broken = b'{broken\nnull\n[1]\n{"id": 7, "thread_name": "x"}\n\x00\x00\n{"thread_name": "nobody\'s"}\n'
    put(path, broken + path.read_bytes() + broken + b'{"id": "' + uuid(1).encode() + b'", "thread_na')

    assert only().title == "New name"


def test_an_index_without_its_threads_is_no_session(home: Path, only: Only) -> None:
    rollout(home, number=2)
    name_index(home, (1, "Gone"))

    assert only().title == "Prompt 2"


def test_the_database_names_a_paginated_thread(home: Path, only: Only) -> None:
    rollout(home, paginated())
    name_index(home, (1, "In the index"))
    state_database(home, [{"id": uuid(1), "name": "In the database", "title": "Prompt 1"}])

    assert only().title == "In the database"


def test_the_index_names_a_paginated_thread_whose_database_is_gone(home: Path, only: Only) -> None:
    rollout(home, paginated())
    name_index(home, (1, "In the index"))

    assert only().title == "In the index"


def test_the_title_that_the_database_holds_of_a_paginated_thread_is_no_name(home: Path, only: Only) -> None:
    rollout(home, paginated(text="Graft the plum"))
    overwritten = {"title": "# AGENTS.md instructions for /srv", "first_user_message": "x", "preview": "y"}
    state_database(home, [{"id": uuid(1), **overwritten}])

    assert only().title == "Graft the plum"


def test_the_title_that_the_database_holds_of_a_legacy_thread_is_its_name_once_it_was_renamed(
    home: Path, only: Only
) -> None:
    rollout(home)
    name_index(home, (1, "In the index"))

    row = {"id": uuid(1), "title": "Prompt 1\n", "first_user_message": "Prompt 1"}
    database = state_database(home, [row])
    assert only().title == "In the index"

    database.unlink()
    state_database(home, [row | {"title": "Renamed"}])
    assert only().title == "Renamed"


def test_a_title_without_the_message_to_compare_it_with_is_no_name(home: Path, only: Only) -> None:
    rollout(home)
    state_database(home, [{"id": uuid(1), "title": "# AGENTS.md instructions for /srv"}], columns=("id", "title"))

    assert only().title == "Prompt 1"


def test_a_name_in_the_records_counts_where_it_stands_nowhere_else(home: Path, only: Only) -> None:
    filler = [response("x" * 1000, role="assistant")] * 200
    names = [event("thread_name_updated", thread_name="Old name"), event("thread_name_updated", thread_name="Renamed")]
    rollout(home, lines([meta(), said("Graft the plum"), *filler, *names, *filler]))
    assert only().title == "Renamed"

    name_index(home, (1, "In the index"))
    assert only().title == "In the index"


def test_a_fork_without_a_message_shows_what_its_source_was_asked_for(home: Path, only: Only) -> None:
    header = continuing(1, base=2, start=9, seconds=0, forked_from_id=uuid(2))
    rollout(home, [header])
    assert only().title is None

    state_database(home, [{"id": uuid(1), "preview": "Graft the plum"}])
    assert only().title == "Graft the plum"


def test_a_fork_with_a_message_shows_what_its_source_was_asked_for(home: Path, only: Only) -> None:
    header = continuing(1, base=2, start=9, seconds=0, forked_from_id=uuid(2))
    rollout(home, [header, *numbered([turn(), item("UserMessage", "And the quince")], start=10)])
    assert only().title == "And the quince"

    state_database(home, [{"id": uuid(1), "preview": "Graft the plum"}])
    assert only().title == "Graft the plum"


def test_the_preview_of_a_thread_that_is_no_fork_does_not_count(home: Path, only: Only) -> None:
    rollout(home, [meta(), said("Graft the plum")])
    state_database(home, [{"id": uuid(1), "preview": "Something else"}])

    assert only().title == "Graft the plum"


def test_a_legacy_fork_shows_the_message_it_copied(home: Path, only: Only) -> None:
    rollout(home, [meta(1, forked_from_id=uuid(2)), meta(2), said("Graft the plum"), said("And the quince", 60)])

    assert only().title == "Graft the plum"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nGraft it", "Graft it"),
        ("## My request for Codex:\n\n  Graft it  \n", "Graft it"),
        ("Explain ## My request for Codex: one ## My request for Codex: two", "one ## My request for Codex: two"),
        ("## My request for codex: Graft it", "## My request for codex: Graft it"),
    ],
)
def test_the_context_of_an_editor_is_no_part_of_the_title(home: Path, only: Only, text: str, title: str) -> None:
    rollout(home, [meta(), said(text)])
    assert only().title == title

    rollout(home, completed({"type": "text", "text": text}))
    assert only().title == title


@pytest.mark.parametrize(
    ("attached", "title"),
    [
        ({"images": ["data:image/png;base64,AAAA"]}, "[Image]"),
        ({"local_images": ["/srv/plum.png"], "audio": ["data:audio/wav;base64,AAAA"]}, "[Image]"),
        ({"images": [], "local_images": [], "audio": ["data:audio/wav;base64,AAAA"]}, "[Audio]"),
        ({"images": [], "local_images": []}, "Second message"),
    ],
)
@pytest.mark.parametrize("text", ["", " \n", "## My request for Codex:\n"])
def test_a_message_without_words_is_named_after_what_was_attached(
    home: Path, only: Only, text: str, attached: dict[str, object], title: str
) -> None:
    rollout(home, [meta(), said(text, 1, **attached), said("Second message", 2)])

    assert only().title == title


@pytest.mark.parametrize(
    ("parts", "title"),
    [
        ([{"type": "image", "image_url": "data:image/png;base64,AAAA"}], "[Image]"),
        ([{"type": "audio"}, {"type": "local_image", "path": "/srv/plum.png"}], "[Image]"),
        ([{"type": "text", "text": " "}, {"type": "local_audio", "path": "/srv/plum.wav"}], "[Audio]"),
        ([{"type": "image"}, {"type": "text", "text": "Graft it"}], "Graft it"),
    ],
)
def test_a_completed_message_without_words_is_named_after_what_was_attached(
    home: Path, only: Only, parts: list[Record], title: str
) -> None:
    rollout(home, completed(*parts))

    assert only().title == title


def test_a_goal_set_before_any_message_is_the_title(home: Path, only: Only) -> None:
    rollout(home, [meta(), goal("Harvest all plums"), goal("Harvest all quinces", 2), said("Graft the plum", 3)])

    assert only().title == "Harvest all plums"


def test_a_goal_set_after_a_message_is_not(home: Path, only: Only) -> None:
    rollout(home, [meta(), said("Graft the plum"), goal("Harvest all plums", 2)])

    assert only().title == "Graft the plum"


def test_a_goal_alone_is_a_title(home: Path, only: Only) -> None:
    rollout(home, [meta(), turn(), goal("Harvest all plums"), event("agent_message", message="On it.")])

    assert only().title == "Harvest all plums"


SYNTHETIC = [
    environment(),
    "<user_instructions>\nBe terse\n</user_instructions>",
    "# AGENTS.md instructions for /srv/orchard\n\nBe terse",
    "<turn_aborted>\nThe user interrupted the turn\n</turn_aborted>",
    "<user_shell_command>\n<command>ls</command>\n</user_shell_command>",
    "<skill>\n<name>graft</name>\n</skill>",
    "<subagent_notification>\n{}\n</subagent_notification>",
    "<goal_context>\nHarvest\n</goal_context>",
    "<model_switch>\nBe brief\n</model_switch>",
    "<collaboration_mode>plan</collaboration_mode>",
    "<permissions instructions>\nAsk first\n</permissions instructions>",
    "\n  <environment_context>\n",
    "  ",
]


@pytest.mark.parametrize("text", SYNTHETIC)
def test_what_codex_wrote_in_the_name_of_the_user_is_no_title(home: Path, only: Only, text: str) -> None:
    rollout(home, [meta(), response(text), response("Graft the plum", 2)])
    assert only().title == "Graft the plum"

    header, *others = bare(text="Graft the plum")
    rollout(home, [header, raw(text), *others])
    assert only().title == "Graft the plum"


@pytest.mark.parametrize("text", [text for text in SYNTHETIC if text.strip()])
def test_who_really_types_such_words_gets_them_as_the_title(home: Path, only: Only, text: str) -> None:
    title = " ".join(text.split())

    rollout(home, [meta(), response(environment()), response(text, 2), said(text, 2)])
    assert only().title == title

    rollout(home, completed({"type": "text", "text": text}))
    assert only().title == title


def test_a_message_wins_over_raw_messages_before_it(home: Path, only: Only) -> None:
    rollout(home, [meta(), response("Raw words"), said("Graft the plum", 2)])

    assert only().title == "Graft the plum"


def test_what_developers_and_assistants_said_is_no_title(home: Path, only: Only) -> None:
    rollout(home, [meta(), response("Be terse", role="developer"), response("Hi", role="assistant")])

    assert only().title is None


def test_a_save_is_named_after_its_first_message(home: Path, only: Only) -> None:
    save(home, [raw(environment()), raw("Hi", "assistant"), raw("Graft the plum")])

    assert only().title == "Graft the plum"


@pytest.mark.parametrize(
    "keys",
    [
        {"source": spawned(2), "agent_path": "/root/graft_the_plum", "agent_nickname": "Fern"},
        {"source": spawned(2, agent_path="/root/graft_the_plum", agent_nickname="Fern")},
    ],
)
def test_a_subagent_without_a_message_is_named_after_its_task(home: Path, only: Only, keys: Record) -> None:
    rollout(home, numbered([meta(1, history_mode="paginated", **keys), turn()]))

    assert only().title == "graft_the_plum"


@pytest.mark.parametrize(
    "keys",
    [
        {"source": spawned(2), "agent_nickname": "Fern"},
        {"source": spawned(2, agent_path=None, agent_nickname="Fern")},
    ],
)
def test_a_subagent_without_a_message_and_a_task_shows_its_nickname(home: Path, only: Only, keys: Record) -> None:
    rollout(home, [meta(1, **keys), turn()])

    assert only().title == "Fern"


def test_a_subagent_with_a_message_is_named_after_it(home: Path, only: Only) -> None:
    rollout(home, [meta(1, source=spawned(2, agent_path="/root/x", agent_nickname="Fern")), said("Graft the plum")])

    assert only().title == "Graft the plum"


def test_messages_copied_from_the_parent_do_not_name_a_subagent(home: Path, only: Only) -> None:
    header = meta(1, source=spawned(2, agent_path="/root/graft"), subagent_history_start_ordinal=4)
    copied = [meta(2), response("Look after the orchard"), item("UserMessage", "Look after the orchard")]
    rollout(home, numbered([header, *copied, turn(5)]))

    assert only().title == "graft"
