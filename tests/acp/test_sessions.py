"""A session in the protocol's words."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sesls.acp.sessions import session_ids, session_info
from sesls.session import Session, Summary

SUMMARY = Summary("pi", "u1", "agent", None, "/srv/orchard", None, 0, "/home/x/a.jsonl", None)
SESSION = Session(
    uuid="u1",
    agent="pi",
    title="Count the pears",
    kind="subagent",
    parent_uuid="u0",
    project_dir="/srv/orchard",
    launch_surface=None,
    models=("m1", "m2"),
    last_activity="2026-03-10T09:00:30.000Z",
    date="2026-03-10T09:00:30.000Z",
    age_sec=5,
    activity="fresh",
    created="2026-03-10T09:00:00.000Z",
    size_bytes=12,
    message_count=2,
    path="/home/x/a.jsonl",
    resume_command="pi --session /home/x/a.jsonl",
    extra={"forked_from": "u9"},
)


def test_an_id_is_the_agent_and_its_own_id() -> None:
    assert session_ids([SUMMARY, replace(SUMMARY, agent="claude")]) == ["pi:u1", "claude:u1"]


def test_of_sessions_with_one_uuid_the_first_by_path_has_the_plain_id() -> None:
    copies = [replace(SUMMARY, path=path, last_activity=time) for path, time in (("/b", 3), ("/a", 1), ("/c", 2))]
    known = dict(zip(("/b", "/a", "/c"), session_ids(copies), strict=True))

    assert known["/a"] == "pi:u1"
    assert known["/b"].startswith("pi:u1~")
    assert len(set(known.values())) == 3
    for some in permutations(copies):
        assert dict(zip((one.path for one in some), session_ids(some), strict=True)) == known
    without_c = session_ids(copies[:2])
    assert without_c == [known["/b"], known["/a"]]


def test_even_what_nothing_tells_apart_gets_an_id_of_its_own() -> None:
    assert len(set(session_ids([SUMMARY] * 4))) == 4


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["pi", "claude"]),
            st.sampled_from(["", "u", "u~", "u~2", "\udc80", "\udc81"]) | st.text(st.characters(), max_size=3),
            st.sampled_from(["/a", "/b", "/\udc80"]),
        )
    )
)
def test_ids_are_unique_and_writable_whatever_the_agents_call_their_sessions(
    parts: list[tuple[str, str, str]],
) -> None:
    ids = session_ids([replace(SUMMARY, agent=agent, uuid=uuid, path=path) for agent, uuid, path in parts])

    assert len(set(ids)) == len(ids) == len(parts)
    assert all(one.encode() and one.startswith(part[0] + ":") for one, part in zip(ids, parts, strict=True))


def test_everything_the_protocol_has_no_word_for_is_in_meta() -> None:
    assert session_info("pi:u1", SESSION) == {
        "sessionId": "pi:u1",
        "cwd": "/srv/orchard",
        "title": "Count the pears",
        "updatedAt": "2026-03-10T09:00:30.000Z",
        "_meta": {
            "sesls": {
                "agent": "pi",
                "uuid": "u1",
                "kind": "subagent",
                "parent_uuid": "u0",
                "launch_surface": None,
                "models": ("m1", "m2"),
                "created": "2026-03-10T09:00:00.000Z",
                "size_bytes": 12,
                "message_count": 2,
                "path": "/home/x/a.jsonl",
                "resume_command": "pi --session /home/x/a.jsonl",
                "extra": {"forked_from": "u9"},
            }
        },
    }


def test_what_is_not_known_is_left_out() -> None:
    info = session_info("pi:u1", replace(SESSION, title=None, extra={}))

    assert "title" not in info
    assert "extra" not in info["_meta"]["sesls"]
