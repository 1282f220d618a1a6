"""Pages of sessions: complete, exact, in order, and the same to their end whatever happens meanwhile."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.acp.client import Message, Talk, ids
from tests.builders import claude, codex, mixed, pi
from tests.builders.common import lines, uuid
from tests.conftest import Ask

INVALID_PARAMS = -32602
TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

VERSIONS = pytest.mark.parametrize("version", [1, 2])


@pytest.fixture(scope="module")
def orchard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which all agents worked, with two copies of one session and two without a directory."""
    home = mixed.write(tmp_path_factory.mktemp("acp") / "home")
    for directory in ("/srv/mill", "/srv/barn"):
        pi.session(home, [pi.header(40, cwd=directory), pi.said("Copied")], number=40, directory=directory)
    for number in (50, 51):
        record = codex.meta(number)
        del record["payload"]["cwd"]
        codex.rollout(home, [record, codex.said("Nowhere")], number=number)
    return home


def write_claude(home: Path, number: int, seconds: float, directory: str = "/srv/orchard", text: str = "Words") -> Path:
    keys: Message = {"sessionId": uuid(number), "cwd": directory}
    rows = [claude.user(text, **keys), claude.assistant(seconds=seconds, **keys)]
    return claude.transcript(home, rows, number=number, directory=directory)


def refused(talk: Talk, **params: object) -> str:
    error = talk.error("session/list", params)
    assert error["code"] == INVALID_PARAMS
    return str(error["message"])


@VERSIONS
def test_it_shows_what_the_list_shows(orchard: Path, version: int) -> None:
    from tests.test_mixed_home import asked

    listed = [one for one in asked(orchard).sessions if one.project_dir is not None]
    shown = Talk(orchard, version).sessions()

    assert [one["_meta"]["sesls"]["path"] for one in shown] == [one.path for one in listed]
    for info, session in zip(shown, listed, strict=True):
        own = info["_meta"]["sesls"]
        assert (info["cwd"], info["updatedAt"]) == (session.project_dir, session.last_activity)
        assert info.get("title") == session.title
        fields = session.to_dict()
        assert {name: fields.get(name) for name in own} == own


@given(size=st.integers(1, 40), directory=st.sampled_from([None, "/srv/orchard", "/srv/barn", "/srv"]))
def test_all_pages_together_are_the_whole_list_for_any_page_size(
    orchard: Path, size: int, directory: str | None
) -> None:
    params = {} if directory is None else {"cwd": directory}
    pages = Talk(orchard, size=size).pages(**params)
    whole = Talk(orchard, size=1000).sessions(**params)

    assert [session for page in pages for session in page] == whole
    assert [len(page) for page in pages[:-1]] == [size] * (len(pages) - 1)
    assert len(set(ids(whole))) == len(whole)
    assert len(pages[-1]) > 0 or len(pages) == 1


def test_a_page_tells_how_many_there_are_and_how_many_have_no_directory(orchard: Path) -> None:
    talk = Talk(orchard)
    everything = talk.result("session/list")
    some = talk.result("session/list", {"cwd": "/srv/orchard-old"})

    assert everything["_meta"]["sesls"]["omitted"] == some["_meta"]["sesls"]["omitted"] == 2
    assert everything["_meta"]["sesls"]["total"] == len(talk.sessions())
    assert some["_meta"]["sesls"]["total"] == len(some["sessions"]) == len(mixed.WRITERS)
    assert "nextCursor" not in some


@pytest.mark.parametrize(
    "params", [..., None, {}, {"cwd": None, "cursor": None}, {"future": {"a": 1}, "_meta": {"x": 1}, "archived": True}]
)
def test_everything_may_be_left_out(orchard: Path, params: object) -> None:
    assert Talk(orchard).result("session/list", params)["sessions"] == Talk(orchard).sessions()


@pytest.mark.parametrize("directory", ["/srv/orchard", "/srv/orchard/", "/srv//orchard", "/srv/barn/../orchard/."])
def test_a_directory_is_exactly_that_one_however_it_is_written(orchard: Path, directory: str) -> None:
    shown = Talk(orchard).sessions(cwd=directory)

    assert {session["cwd"] for session in shown} == {"/srv/orchard"}
    assert ids(shown) == [one["sessionId"] for one in Talk(orchard).sessions() if one["cwd"] == "/srv/orchard"]


@pytest.mark.parametrize(
    "directory", ["/srv", "/", "/srv/orchar", "/srv/orchard-", "/srv/orchard/tree", "/SRV/orchard"]
)
def test_no_other_directory_matches(orchard: Path, directory: str) -> None:
    answer = Talk(orchard).result("session/list", {"cwd": directory})

    assert answer["sessions"] == []
    assert "nextCursor" not in answer


@VERSIONS
@pytest.mark.parametrize(
    "directory", ["x", "./x", "../x", "", " ", "~", "~/x", "file:///srv/orchard", 5, [], {}, True, ["/srv"]]
)
def test_what_is_no_absolute_directory_is_refused(orchard: Path, version: int, directory: object) -> None:
    assert "cwd" in refused(Talk(orchard, version), cwd=directory)


@VERSIONS
@pytest.mark.parametrize("cursor", ["", "garbage!", "eyJwYWdlIjogMn0=", "2", "\0", "x" * 5000, 5, [], {}, True])
def test_what_is_no_cursor_is_refused(orchard: Path, version: int, cursor: object) -> None:
    talk = Talk(orchard, version, size=2)
    talk.result("session/list")

    assert "cursor" in refused(talk, cursor=cursor)


def test_a_changed_cursor_is_none(orchard: Path) -> None:
    talk = Talk(orchard, size=2)
    cursor = talk.result("session/list")["nextCursor"]

    for changed in (cursor[:-1], cursor + "0", cursor.upper(), cursor[:-1] + ("0" if cursor[-1] != "0" else "1")):
        refused(talk, cursor=changed)
    talk.result("session/list", {"cursor": cursor})


@given(size=st.integers(1, 12), directory=st.sampled_from([None, "/srv/orchard", "/srv/barn"]))
def test_a_walk_goes_on_in_another_process(orchard: Path, size: int, directory: str | None) -> None:
    filtered: Message = {} if directory is None else {"cwd": directory}
    walked, params = [], filtered
    while True:
        answer = Talk(orchard, size=size).result("session/list", params)
        walked += answer["sessions"]
        if "nextCursor" not in answer:
            break
        params = {**filtered, "cursor": answer["nextCursor"]}

    assert walked == Talk(orchard).sessions(**filtered)


@pytest.mark.parametrize("change", ["none", "newer", "gone"])
def test_a_walk_goes_on_in_another_process_after_the_last_session_shown(home: Path, change: str) -> None:
    for number in range(1, 6):
        write_claude(home, number, number)
    params = {"cursor": Talk(home, size=3).result("session/list")["nextCursor"]}
    if change == "newer":
        write_claude(home, 3, 900)
        write_claude(home, 7, 700)
    if change == "gone":
        (claude.folder(home) / f"{uuid(3)}.jsonl").unlink()

    shown = ids(Talk(home, size=3).result("session/list", params)["sessions"])
    assert shown == [f"claude:{uuid(number)}" for number in (2, 1)]


def test_a_cursor_counts_for_the_directory_it_was_given_for(orchard: Path) -> None:
    talk = Talk(orchard, size=2)
    of_all = talk.result("session/list")["nextCursor"]
    of_one = talk.result("session/list", {"cwd": "/srv/orchard"})["nextCursor"]

    assert "cwd" in refused(talk, cursor=of_all, cwd="/srv/orchard")
    assert "cwd" in refused(talk, cursor=of_one)
    assert "cwd" in refused(talk, cursor=of_one, cwd="/srv/barn")
    assert len(talk.result("session/list", {"cursor": of_one, "cwd": "/srv/orchard/"})["sessions"]) == 2


def test_the_same_cursor_gives_the_same_page(orchard: Path) -> None:
    talk = Talk(orchard, size=3)
    first = talk.result("session/list")
    params = {"cursor": first["nextCursor"]}

    assert talk.result("session/list", params) == talk.result("session/list", params)
    assert talk.result("session/list") == first


def test_asking_often_forgets_no_cursor_while_nothing_changes(orchard: Path) -> None:
    talk = Talk(orchard, size=3)
    cursor = talk.result("session/list")["nextCursor"]
    page = talk.result("session/list", {"cursor": cursor})
    for directory in [f"/srv/{number}" for number in range(20)] + ["/srv/orchard"] * 20:
        talk.result("session/list", {"cwd": directory})

    assert talk.result("session/list", {"cursor": cursor}) == page


def test_a_walk_goes_on_over_what_it_began_with(home: Path) -> None:
    files = {number: write_claude(home, number, number) for number in range(1, 10)}
    talk = Talk(home, size=4)
    first = talk.result("session/list")

    write_claude(home, 2, 1000)
    write_claude(home, 20, 2000)
    files[9].unlink()
    files[1].unlink()
    second = talk.result("session/list", {"cursor": first["nextCursor"]})
    third = talk.result("session/list", {"cursor": second["nextCursor"]})

    walked = [*first["sessions"], *second["sessions"], *third["sessions"]]
    assert ids(walked) == [f"claude:{uuid(number)}" for number in range(9, 0, -1)]
    assert ids(talk.sessions()) == [f"claude:{uuid(number)}" for number in (20, 2, 8, 7, 6, 5, 4, 3)]


def test_of_many_walks_at_once_the_last_are_walked_as_they_began_and_the_others_through_what_is_there(
    home: Path,
) -> None:
    for number in range(1, 4):
        write_claude(home, number, number)
    talk = Talk(home, size=2)
    cursors = []
    for seconds in range(100, 110):
        write_claude(home, 1, seconds)
        cursors.append(talk.result("session/list")["nextCursor"])
    for number in (2, 3):
        (claude.folder(home) / f"{uuid(number)}.jsonl").unlink()
    shown = [len(talk.result("session/list", {"cursor": cursor})["sessions"]) for cursor in cursors]

    assert shown == [0, 0, *[1] * 8]


def test_two_sessions_of_one_uuid_have_two_ids_which_no_filter_changes(orchard: Path) -> None:
    def copies(talk: Talk, **params: object) -> dict[str, str]:
        shown = (one for one in talk.sessions(**params) if one["_meta"]["sesls"]["uuid"] == uuid(40))
        return {one["cwd"]: one["sessionId"] for one in shown}

    both = copies(Talk(orchard))
    assert set(both) == {"/srv/mill", "/srv/barn"}
    assert f"pi:{uuid(40)}" in both.values()
    assert len(set(both.values())) == 2
    for directory, session_id in both.items():
        assert copies(Talk(orchard), cwd=directory) == {directory: session_id}
    assert copies(Talk(orchard, agents=("pi",), kind="agent", noise="exclude")) == both


def test_an_id_stays_the_same_when_the_session_it_is_shared_with_is_filtered_out(home: Path) -> None:
    pi.session(home, number=1)
    pi.session(home, [pi.header(40, cwd="/srv/z"), pi.said("Copied")], number=40, directory="/srv/z")
    pi.child(pi.folder(home) / pi.file_name(1), [pi.header(40), pi.said("Copied")])
    everything = ids(Talk(home).sessions())

    assert len(everything) == len(set(everything)) == 3
    assert {*ids(Talk(home, kind="agent").sessions()), *ids(Talk(home, kind="subagent").sessions())} == {*everything}


def test_filters_are_those_of_the_list(orchard: Path, ask: Ask) -> None:
    def kinds(**fields: object) -> set[tuple[str, str]]:
        shown = Talk(orchard, **fields).sessions()  # type: ignore[arg-type]
        return {(one["_meta"]["sesls"]["agent"], one["_meta"]["sesls"]["kind"]) for one in shown}

    assert kinds(agents=("pi", "codex")) == {
        (agent, kind) for agent in ("pi", "codex") for kind in ("agent", "subagent")
    }
    assert {kind for _, kind in kinds(kind="subagent")} == {"subagent"}
    assert {kind for _, kind in kinds(noise="exclude")} == {"agent"}


def test_a_name_that_is_no_utf_8_is_found_by_what_is_shown_of_it(home: Path) -> None:
    header = json.dumps(pi.header(3, cwd="/srv/orch\udc80rd"))
    pi.session(home, header.encode() + b"\n" + lines([pi.said("Words")]), number=3)
    talk = Talk(home)

    assert [one["cwd"] for one in talk.sessions()] == ["/srv/orch\ufffdrd"]
    assert len(talk.sessions(cwd="/srv/orch\ufffdrd")) == 1


def test_secrets_are_masked_and_counted_unless_that_is_turned_off(home: Path) -> None:
    write_claude(home, 1, 1, text=f"Use {TOKEN}")

    masked = Talk(home).result("session/list")
    assert TOKEN not in str(masked)
    assert masked["_meta"]["sesls"]["redactions"] == {"GITHUB_TOKEN": 1}
    shown = Talk(home, redact=False).result("session/list")
    assert shown["sessions"][0]["title"] == f"Use {TOKEN}"
    assert "redactions" not in shown["_meta"]["sesls"]


def test_what_cannot_be_read_is_told_once_for_all_pages(home: Path) -> None:
    for number in range(1, 4):
        write_claude(home, number, number)
    codex.rollout(home, b"\x00\x01 no rollout\n", number=4)
    talk = Talk(home, size=2)
    first = talk.result("session/list")
    second = talk.result("session/list", {"cursor": first["nextCursor"]})

    assert [one["agent"] for one in first["_meta"]["sesls"]["warnings"]] == ["codex"]
    assert "warnings" not in second["_meta"]["sesls"]


def test_what_a_walk_learnt_is_kept_for_later_listings(home: Path) -> None:
    for number in range(1, 4):
        write_claude(home, number, number, text="Words " * 12_000)

    def kept() -> int:
        return sum(path.stat().st_size for path in (home.parent / "cache").rglob("claude.contents"))

    talk = Talk(home, size=1)
    first = talk.result("session/list")
    of_one = kept()
    second = talk.result("session/list", {"cursor": first["nextCursor"]})
    talk.result("session/list", {"cursor": second["nextCursor"]})

    assert kept() > of_one > 0


def test_a_session_that_moves_to_another_directory_leaves_no_gap_in_a_walk(home: Path) -> None:
    for number in range(1, 5):
        write_claude(home, number, number)
    talk = Talk(home, size=2)
    first = talk.result("session/list", {"cwd": "/srv/orchard"})
    write_claude(home, 4, 4, "/srv/barn").replace(claude.folder(home) / f"{uuid(4)}.jsonl")
    assert ids(talk.sessions(cwd="/srv/barn")) == [f"claude:{uuid(4)}"]
    assert len(talk.result("session/list", {"cwd": "/srv/orchard"})["sessions"]) == 2
    second = talk.result("session/list", {"cwd": "/srv/orchard", "cursor": first["nextCursor"]})

    assert ids(second["sessions"]) == [f"claude:{uuid(number)}" for number in (2, 1)]


def titles(sessions: list[Message]) -> list[object]:
    return [one.get("title") for one in sessions]


def test_titles_are_one_short_line(home: Path) -> None:
    write_claude(home, 1, 1, text="First\nline \x1b[31mred\x1b[0m " + "x" * 300)

    (title,) = titles(Talk(home).sessions())
    assert str(title).startswith("First line red xxx")
    assert len(str(title)) == 201
    assert str(title).endswith("…")
