"""What a conversation's files say of it, and what they leave open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sesls.page import Page
from sesls.session import Session
from tests.builders.antigravity import (
    ACP,
    CLI,
    IDE,
    MODEL,
    ROOTS,
    SHARED,
    URI,
    Fields,
    Row,
    about,
    annotation,
    answered,
    artifact,
    asked,
    cached,
    conversation,
    encode,
    encrypted,
    history,
    hub,
    last_conversations,
    listed,
    log,
    moment,
    project,
    prompted,
    ran,
    sent,
    summaries,
    summary,
)
from tests.builders.common import CWD, at, put, uuid

Ask = Callable[..., Page]
Only = Callable[..., Session]

RESUME = f"cd {CWD} && agy --conversation {uuid(1)}"


# Each kind of file, whole


def test_a_database_tells_everything(home: Path, only: Only) -> None:
    path = conversation(
        home,
        [asked("Graft the plum"), ran(10, 20), answered(seconds=25, completed=30)],
        meta=about(-1, branch="spring"),
    )

    session = only()

    assert session.to_dict() == session.to_dict() | {
        "uuid": uuid(1),
        "agent": "antigravity",
        "title": "Graft the plum",
        "kind": "agent",
        "parent_uuid": None,
        "project_dir": CWD,
        "launch_surface": "antigravity-cli",
        "models": [MODEL],
        "last_activity": at(30),
        "created": at(-1),
        "message_count": 2,
        "size_bytes": path.stat().st_size,
        "path": str(path),
        "resume_command": RESUME,
    }
    assert session.extra == {"git_branch": "spring", "step_count": 3}


def test_a_log_tells_what_was_said(home: Path, only: Only) -> None:
    path = log(home, [asked("Graft the plum"), ran(10), answered(seconds=30)])

    session = only()

    assert session.to_dict() == session.to_dict() | {
        "uuid": uuid(1),
        "title": "Graft the plum",
        "kind": "agent",
        "parent_uuid": None,
        "project_dir": None,
        "launch_surface": "antigravity-cli",
        "models": [],
        "last_activity": at(30),
        "created": at(0),
        "message_count": 2,
        "size_bytes": path.stat().st_size,
        "path": str(path),
        "resume_command": None,
    }
    assert session.extra == {}


@pytest.mark.parametrize("root", ROOTS)
def test_an_encrypted_conversation_tells_only_that_it_is_there(home: Path, only: Only, root: str) -> None:
    path = encrypted(home, root=root, modified=90)

    session = only()

    assert session.to_dict() == session.to_dict() | {
        "uuid": uuid(1),
        "title": None,
        "kind": "agent",
        "parent_uuid": None,
        "project_dir": None,
        "models": [],
        "last_activity": at(90),
        "created": None,
        "message_count": None,
        "size_bytes": path.stat().st_size,
        "path": str(path),
        "resume_command": None,
    }
    assert session.extra == {"last_activity_source": "mtime"}


def test_an_encrypted_conversation_is_not_taken_for_a_protocol_buffer(home: Path, only: Only) -> None:
    encrypted(home, content=encode(summary("Not a title", modified=500, workspaces=[URI])))

    session = only()

    assert (session.title, session.project_dir, session.last_activity) == (None, None, at(0))


def test_an_artifact_tells_what_it_is_about(home: Path, only: Only) -> None:
    path = artifact(home, "Words\n# Prune the apple\n# More", updated=60, modified=90)

    session = only()

    assert session.to_dict() == session.to_dict() | {
        "uuid": uuid(1),
        "title": "Prune the apple",
        "kind": "agent",
        "project_dir": None,
        "launch_surface": "antigravity-ide",
        "models": [],
        "last_activity": at(60),
        "created": None,
        "message_count": None,
        "size_bytes": path.stat().st_size,
        "path": str(path),
        "resume_command": None,
    }
    assert session.extra == {}


# Last activity


def test_last_activity_is_when_the_last_step_was_made_or_completed(home: Path, only: Only) -> None:
    conversation(home, [asked(), answered(seconds=30, completed=45)])

    assert only().last_activity == at(45)


def test_a_step_that_was_completed_after_later_ones_counts(home: Path, only: Only) -> None:
    conversation(home, [asked(), ran(10, 500), *[ran(second) for second in range(20, 30)], answered()])

    assert only().last_activity == at(500)


def test_instants_keep_their_milliseconds(home: Path, only: Only) -> None:
    conversation(home, [asked(), answered(seconds=30.123456)])

    assert only().last_activity == at(30.123)


def test_a_step_without_metadata_has_its_time_in_its_payload(home: Path, only: Only) -> None:
    rows = [asked(seconds=5).row(0, metadata=None), answered(seconds=30).row(1, metadata=None)]
    conversation(home, rows, meta=about(created=None))

    session = only()

    assert (session.created, session.last_activity) == (at(5), at(30))


def test_a_step_without_any_time_does_not_hide_those_before_it(home: Path, only: Only) -> None:
    conversation(home, [asked(), answered(seconds=30), *[ran(None)] * 5])

    assert only().last_activity == at(30)


@pytest.mark.parametrize("modified", [-86_400 * 300, 86_400 * 300])
@pytest.mark.parametrize("write", [conversation, log])
def test_last_activity_is_recorded_whatever_the_file_time_says(
    home: Path, only: Only, write: Callable[..., Path], modified: float
) -> None:
    path = write(home)
    put(path, path.read_bytes(), modified)

    session = only()

    assert session.last_activity == at(30)
    assert "last_activity_source" not in session.extra


def test_lines_of_a_log_may_be_out_of_order(home: Path, only: Only) -> None:
    log(home, [asked(seconds=5), answered(seconds=90), ran(40)])

    session = only()

    assert (session.created, session.last_activity) == (at(5), at(90))


def test_created_is_the_first_step_of_a_log_wherever_its_line_stands(home: Path, only: Only) -> None:
    log(home, [ran(10).line(1), asked(seconds=5).line(0), answered(seconds=30).line(2)])

    assert only().created == at(5)


@pytest.mark.parametrize("created_at", [None, "soon", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", 17, "", []])
def test_a_line_with_an_absurd_time_does_not_count(home: Path, only: Only, created_at: object) -> None:
    log(home, [asked(), answered(seconds=10), ran().line(2, created_at=created_at)])

    assert only().last_activity == at(10)


@pytest.mark.parametrize("seconds", [-62_135_596_800, 0, 253_402_300_799])
def test_a_step_with_an_absurd_time_does_not_count(home: Path, only: Only, seconds: int) -> None:
    absurd = {1: {1: seconds, 2: 0}, 8: {1: seconds, 2: 0}}
    conversation(home, [asked(), answered(seconds=10), ran().row(2, metadata=encode(absurd))])

    assert only().last_activity == at(10)


def test_a_large_log_is_as_old_as_its_end(home: Path, only: Only) -> None:
    filler = [answered("x" * 1000, seconds=second) for second in range(100)]
    log(home, [asked(seconds=-5), *filler, answered(seconds=500)])

    session = only()

    assert (session.created, session.last_activity) == (at(-5), at(500))


def test_the_later_of_a_database_and_its_log_counts(home: Path, only: Only) -> None:
    conversation(home, [asked(), answered(seconds=30)])
    log(home, [asked(), answered(seconds=31)])

    assert only().last_activity == at(31)


def test_what_a_person_looked_at_last_is_no_activity(home: Path, only: Only) -> None:
    conversation(home)
    annotation(home, f'title: "Pruning" last_user_view_time: {{seconds: {moment(9000)[1]} nanos: 0}}')  # type: ignore[index]

    assert only().last_activity == at(30)


def test_the_time_of_an_artifact_counts_only_without_a_better_one(home: Path, only: Only) -> None:
    encrypted(home, modified=900)
    artifact(home, updated=300)
    assert only().last_activity == at(300)

    hub(home, {1: summary(modified=100)})
    assert only().last_activity == at(100)


def test_the_newest_of_several_artifacts_counts(home: Path, only: Only) -> None:
    for second, name in ((20, "task.md"), (80, "implementation_plan.md"), (40, "walkthrough.md")):
        artifact(home, name=name, updated=second)

    assert only().last_activity == at(80)


def test_without_any_time_the_newest_file_counts(home: Path, only: Only) -> None:
    encrypted(home, modified=30)
    artifact(home, modified=60)

    session = only()

    assert session.last_activity == at(60)
    assert session.extra["last_activity_source"] == "mtime"


# Created


def test_created_is_taken_from_the_best_witness(home: Path, only: Only) -> None:
    log(home, [asked(seconds=4)])
    assert only().created == at(4)

    hub(home, {1: summary(created=3)})
    assert only().created == at(3)

    conversation(home, [asked(seconds=2)], meta=about(created=None))
    assert only().created == at(2)

    conversation(home, [asked(seconds=2)], meta=about(created=1))
    assert only().created == at(1)


# Directory


def test_the_directory_is_taken_from_the_best_witness(home: Path, only: Only) -> None:
    project(home, "trees", [{"folderUri": "file:///srv/project"}])
    path = conversation(home, meta=about(workspaces=(), project="trees"))
    assert only().project_dir == "/srv/project"

    summaries(home, listed(workspace_uris='["file:///srv/listed"]'))
    assert only().project_dir == "/srv/listed"

    conversation(home, meta=about(workspaces=["file:///srv/workspace"], project="trees"))
    assert only().project_dir == "/srv/workspace"

    put(path.with_suffix(".meta"), '{"cwd": "/srv/server", "mode_id": "default"}')
    assert only().project_dir == "/srv/server"

    last_conversations(home, {"/srv/last": uuid(1)})
    assert only().project_dir == "/srv/last"

    history(home, [prompted(workspace="/srv/launched"), prompted(workspace="/srv/later")])
    assert only().project_dir == "/srv/launched"


@pytest.mark.parametrize(
    ("uri", "directory"),
    [
        ("file:///srv/orchard/", "/srv/orchard/"),
        ("file:///srv/two%20words", "/srv/two words"),
        ("file:///srv/B%C3%A4ume", "/srv/Bäume"),
        ("file:///srv/50%25", "/srv/50%"),
        ("file:///c%3A/work/trees", "c:/work/trees"),
        ("file:///C:/work/trees", "C:/work/trees"),
        ("file:///", "/"),
        ("vscode-remote://wsl%2Bdebian/srv/orchard", None),
        ("vscode-vfs://host/srv/orchard", None),
        ("untitled:Untitled-1", None),
        ("file://host/share", None),
        ("/srv/orchard", None),
        ("file://", None),
        ("", None),
    ],
)
def test_a_workspace_is_a_local_folder_or_none(home: Path, only: Only, uri: str, directory: str | None) -> None:
    conversation(home, meta=about(workspaces=[uri]))

    assert only().project_dir == directory


def test_the_first_local_workspace_counts(home: Path, only: Only) -> None:
    conversation(home, meta=about(workspaces=["vscode-remote://wsl/srv/remote", "file:///srv/a", "file:///srv/b"]))

    assert only().project_dir == "/srv/a"


def test_older_databases_name_their_workspace_with_its_branch(home: Path, only: Only) -> None:
    conversation(home, meta={1: {1: URI, 2: "file:///srv", 4: "spring"}})

    session = only()

    assert (session.project_dir, session.extra["git_branch"]) == (CWD, "spring")


@pytest.mark.parametrize("workspace", [".", "trees", "~/trees", "", None, 7])
def test_a_directory_that_is_no_absolute_path_is_none(home: Path, only: Only, workspace: object) -> None:
    conversation(home, meta=about(workspaces=()))
    history(home, [prompted(workspace=workspace)])  # type: ignore[arg-type]

    session = only()

    assert (session.project_dir, session.resume_command) == (None, f"agy --conversation {uuid(1)}")


def test_a_tool_s_directory_is_not_the_conversation_s(home: Path, only: Only) -> None:
    call: Fields = {1: 132, 5: ran().metadata(), 28: {1: "ls", 2: "/srv/elsewhere", 3: "file:///srv/elsewhere"}}
    conversation(home, [asked(), ran().row(1, step_payload=encode(call))], meta=about(workspaces=()))

    assert only().project_dir is None


@pytest.mark.parametrize(
    ("resources", "directory"),
    [
        ([{"folderUri": "file:///srv/a"}, {"folderUri": "file:///srv/b"}], "/srv/a"),
        ([{"gitFolder": {"folderUri": "file:///srv/git", "allowWrite": True}}], "/srv/git"),
        ([{"aura": 7}, {"folderUri": "file:///srv/a"}], "/srv/a"),
        ([{"folderUri": 7}, {"folderUri": "file:///srv/a"}], "/srv/a"),
        ([{"folderUri": "vscode-remote://wsl/srv/a"}], None),
        ([], None),
        (None, None),
        ("trees", None),
    ],
)
def test_a_project_names_its_folder(home: Path, only: Only, resources: object, directory: str | None) -> None:
    conversation(home, meta=about(workspaces=(), project="trees"))
    project(home, "trees", resources)

    assert only().project_dir == directory


def test_a_project_without_an_id_is_known_by_its_file(home: Path, only: Only) -> None:
    conversation(home, meta=about(workspaces=(), project="trees"))
    project(home, "trees", [{"folderUri": "file:///srv/a"}], id=None)

    assert only().project_dir == "/srv/a"


def test_a_conversation_of_no_project_has_no_folder_of_one(home: Path, only: Only) -> None:
    conversation(home, meta=about(workspaces=(), project="default-cli-project"))
    project(home, "trees", [{"folderUri": "file:///srv/a"}])

    assert only().project_dir is None


def test_the_directory_of_another_conversation_is_not_taken(home: Path, only: Only) -> None:
    conversation(home, meta=about(workspaces=()))
    history(home, [prompted(number=2), prompted(number=None)])
    last_conversations(home, {"/srv/other": uuid(2)})

    assert only().project_dir is None


# Models


def test_models_are_those_of_the_answers_once_each_in_their_order(home: Path, only: Only) -> None:
    models = ["gemini-b", "gemini-a", "gemini-b", None, "claude-c"]
    conversation(home, [asked(), *(answered(seconds=second, model=model) for second, model in enumerate(models))])

    assert only().models == ("gemini-b", "gemini-a", "claude-c")


def test_a_model_that_only_a_tool_s_step_names_did_not_answer(home: Path, only: Only) -> None:
    conversation(home, [asked(), ran().row(1, metadata=encode({24: {8: "gemini-of-the-tool"}})), answered(model=None)])

    assert only().models == ()


def test_generations_name_the_models_where_no_step_does(home: Path, only: Only) -> None:
    generations: list[Fields] = [
        {1: {19: "gemini-first"}},
        {1: {19: "gemini-b", 21: "Gemini B"}},
        {1: {21: "Gemini C"}},
    ]
    conversation(home, [asked(), answered(model=None)], generations=generations)

    assert only().models == ("gemini-b", "Gemini C")


def test_steps_name_the_models_before_generations(home: Path, only: Only) -> None:
    conversation(home, generations=[{1: {19: "gemini-first"}}, {1: {19: "gemini-second"}}])

    assert only().models == (MODEL,)


CHANGED = "The user changed setting `Model Selection` from {} to {}. No need to say so."
SETTING = f"<USER_SETTINGS_CHANGE>\n{CHANGED}\n</USER_SETTINGS_CHANGE>"


def test_a_log_names_the_models_that_a_person_chose(home: Path, only: Only) -> None:
    changes = [("None", "Gemini 9.5 Swift (High)"), ("Gemini 9.5 Swift (High)", "Claude Larch 7.1 (Thinking)")]
    log(home, [asked(f"Graft\n{SETTING.format(*change)}", number) for number, change in enumerate(changes)])

    assert only().models == ("Gemini 9.5 Swift (High)", "Claude Larch 7.1 (Thinking)")


@pytest.mark.parametrize("end", [".\n</USER_SETTINGS_CHANGE>", ".</USER_SETTINGS_CHANGE>", ".", ". Go on."])
def test_the_dot_behind_a_model_is_not_part_of_its_name(home: Path, only: Only, end: str) -> None:
    log(home, [asked().line(0, content=f"The user changed setting `Model Selection` from None to Gemini 9.5{end}")])

    assert only().models == ("Gemini 9.5",)


def test_what_a_model_wrote_of_settings_names_no_model(home: Path, only: Only) -> None:
    log(home, [asked(), answered(SETTING.format("None", "Gemini 9"))])

    assert only().models == ()


def test_a_person_who_writes_of_the_setting_names_no_model(home: Path, only: Only) -> None:
    log(home, [asked("The `Model Selection` from the menu is broken.\nI want to go home. Please.")])

    assert only().models == ()


def test_a_database_names_the_models_before_its_log(home: Path, only: Only) -> None:
    conversation(home)
    log(home, [asked(f"Graft\n{SETTING.format('None', 'Gemini 9.5 Swift (High)')}")])

    assert only().models == (MODEL,)


# Messages


def test_messages_are_requests_and_answers(home: Path, only: Only) -> None:
    steps = [asked(), ran(), answered(), sent("Go on"), ran(), asked(), answered()]
    conversation(home, steps)

    session = only()

    assert (session.message_count, session.extra["step_count"]) == (4, 7)


def test_messages_of_a_log_are_requests_and_answers(home: Path, only: Only) -> None:
    log(home, [asked(), ran(), answered(), sent("Go on"), answered(""), asked(), answered()])

    assert only().message_count == 4


def test_an_answer_that_only_calls_tools_is_no_message(home: Path, only: Only) -> None:
    conversation(home, [asked(), answered(""), ran(), answered("Done.")])

    assert only().message_count == 2


def test_a_conversation_in_which_nobody_spoke_has_no_messages(home: Path, only: Only) -> None:
    conversation(home, [])

    session = only()

    assert (session.title, session.message_count) == (None, 0)


# Resuming


@pytest.mark.parametrize("root", [SHARED, IDE, ACP])
def test_a_conversation_of_another_product_cannot_be_resumed(home: Path, only: Only, root: str) -> None:
    conversation(home, root=root)

    assert only().resume_command is None


@pytest.mark.parametrize("write", [log, encrypted, artifact])
def test_a_conversation_without_a_database_cannot_be_resumed(
    home: Path, only: Only, write: Callable[..., Path]
) -> None:
    write(home, root=CLI)

    assert only().resume_command is None


@pytest.mark.parametrize("parent", [about(parent=2), about()])
def test_a_subagent_cannot_be_resumed(home: Path, only: Only, parent: Fields) -> None:
    conversation(home, meta=parent, source=16)

    assert only().resume_command is None


def test_a_directory_is_quoted_for_the_shell(home: Path, only: Only) -> None:
    conversation(home, meta=about(workspaces=["file:///srv/Anna's%20$trees"]))

    assert only().resume_command == f"""cd '/srv/Anna'"'"'s $trees' && agy --conversation {uuid(1)}"""


# Extra


@pytest.mark.parametrize(
    ("text", "archived"),
    [
        ("archived: true", True),
        ('title:"Plum"  archived:true', True),
        ("archived: false", False),
        ("", False),
        ("unarchived: true", False),
        ("archived: trueish", False),
    ],
)
def test_an_annotation_tells_that_a_conversation_was_archived(
    home: Path, only: Only, text: str, archived: bool
) -> None:
    conversation(home)
    annotation(home, text)

    assert only().extra.get("archived", False) is archived


def test_a_title_about_an_archive_archives_nothing(home: Path, only: Only) -> None:
    conversation(home)
    annotation(home, 'title: "Why is archived: true ignored?"')

    assert "archived" not in only().extra


def test_an_index_tells_that_a_conversation_was_archived(home: Path, only: Only) -> None:
    encrypted(home)
    hub(home, {1: summary(archived=True)})

    assert only().extra["archived"] is True


def test_a_conversation_that_an_index_merely_lists_is_not_archived(home: Path, only: Only) -> None:
    conversation(home)
    summaries(home, listed(title="Graft"))
    cached(home, {1: {"Title": "Graft"}})
    hub(home, {1: summary("Graft")}, root=CLI)

    assert "archived" not in only().extra


def test_a_conversation_may_be_hidden_from_lists(home: Path, only: Only) -> None:
    conversation(home, meta=about(others={12: {3: 1}}))

    assert only().extra["hidden"] is True


@pytest.mark.parametrize("value", [{}, {3: 0}, {2: 1}])
def test_a_conversation_that_is_not_hidden_says_nothing(home: Path, only: Only, value: Fields) -> None:
    conversation(home, meta=about(others={12: value}))

    assert "hidden" not in only().extra


def test_secrets_are_masked(home: Path, ask: Ask) -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    conversation(home, [asked(f"Use {token}")], meta=about(branch=f"fix-{token}"))

    page = ask()

    assert token not in str([session.to_dict() for session in page.sessions])
    assert page.redactions


@pytest.mark.parametrize("known", [{"Title": "Plum"}, {"UpdatedAt": at(500)}, {"WorkspaceURIs": ["file:///srv/a"]}])
def test_a_cache_adds_what_the_files_do_not_tell(home: Path, only: Only, known: Row) -> None:
    encrypted(home, root=CLI)
    cached(home, {1: known, 2: {"Title": "Another"}})

    session = only()

    told = {
        "Title": session.title,
        "UpdatedAt": session.last_activity,
        "WorkspaceURIs": [f"file://{session.project_dir}"],
    }
    assert {name: told[name] for name in known} == known
