"""Whatever bytes a store holds, there is an answer, and only what they damaged may be missing from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sesls.inventory import take
from sesls.output.json import encoded
from sesls.page import Page
from sesls.query import Query
from tests.builders.antigravity import (
    CLI,
    Field,
    Fields,
    Step,
    annotation,
    answered,
    asked,
    conversation,
    database,
    database_path,
    encode,
    folder,
    history,
    hub,
    listed,
    log,
    ran,
    sent,
    state,
    summaries,
    tables,
    whole_store,
)
from tests.builders.common import lines, put, uuid
from tests.conftest import environment_of, examples

WITNESS = 0x77
"""A conversation that is whole, whatever becomes of the others."""

patient = examples(30)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
NUMBERS = st.sampled_from([1, 2, 3, 5, 7, 8, 9, 12, 15, 16, 17, 18, 19, 20, 21, 22, 24, 114])
LEAVES: st.SearchStrategy[Field] = st.integers(0, (1 << 64) - 1) | st.binary(max_size=20) | st.text(max_size=9)
FIELDS: st.SearchStrategy[Fields] = st.dictionaries(
    NUMBERS,
    st.lists(LEAVES, max_size=3)
    | st.recursive(LEAVES, lambda inner: st.dictionaries(NUMBERS, inner, max_size=3), max_leaves=6),
    max_size=6,
)
COLUMN = (
    st.none() | st.integers(-(1 << 63), (1 << 63) - 1) | st.floats() | st.text(max_size=20) | st.binary(max_size=60)
)
STEPS = st.sampled_from([asked(), answered(), ran(), sent("Prune"), asked(""), answered(model=None)])


def written(write: Callable[[Path], object]) -> dict[str, bytes]:
    """Return the files of a store by their paths."""
    with TemporaryDirectory() as folder:
        write(Path(folder))
        files = [path for path in Path(folder).rglob("*") if path.is_file()]
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}


ALONE = written(lambda home: conversation(home, number=WITNESS))
WHOLE = written(whole_store) | ALONE
DAMAGED = st.sampled_from(sorted(WHOLE.keys() - ALONE.keys()))


@contextmanager
def home_of(files: Mapping[str, bytes] = ALONE) -> Iterator[Path]:
    """Yield a home with these files: one for each example, which a fixture would not give."""
    with TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        for name, content in files.items():
            put(home / name, content)
        yield home


def listed_page(home: Path) -> Page:
    """Return the page of a home, which must not tell of any exception, nor lack the whole conversation."""
    page = take(Query(agents=("antigravity",), limit=0), environment_of(home))

    assert uuid(WITNESS) in {session.uuid for session in page.sessions}
    assert [warning for warning in page.warnings if warning.problem.startswith("unexpected")] == []
    json.loads(encoded({"sessions": [session.to_dict() for session in page.sessions]}))
    return page


@patient
@given(DAMAGED, st.binary(max_size=300))
def test_any_bytes_in_any_file_cost_at_most_one_warning(file: str, content: bytes) -> None:
    with home_of({**WHOLE, file: content}) as home:
        page = listed_page(home)

        assert len(page.warnings) <= 1


@examples(50)
@given(DAMAGED, st.floats(0, 1), st.integers(0, 200), st.binary(max_size=200), st.booleans())
def test_a_file_that_was_overwritten_or_cut_anywhere_costs_at_most_one_warning(
    file: str, place: float, length: int, written: bytes, is_cut: bool
) -> None:
    whole = WHOLE[file]
    start = int(place * len(whole))
    damaged = whole[:start] + written + (b"" if is_cut else whole[start + length :])

    with home_of({**WHOLE, file: damaged}) as home:
        page = listed_page(home)

        assert {warning.path for warning in page.warnings} <= {str(home / file)}


@patient
@given(FIELDS, FIELDS, FIELDS, FIELDS)
def test_any_fields_in_a_database_get_an_answer(
    meta: Fields, metadata: Fields, payload: Fields, generation: Fields
) -> None:
    with home_of() as home:
        columns = {"metadata": encode(metadata), "step_payload": encode(payload)}
        rows = [asked().row(0, **columns), answered().row(1, **columns), sent("Prune").row(2, **columns)]
        conversation(home, rows, meta=meta, generations=[generation] * 2, references=[generation])

        page = listed_page(home)

        assert (page.total, page.warnings) == (2, ())


@patient
@given(st.dictionaries(st.sampled_from(["step_type", "status", "metadata", "step_payload"]), COLUMN), COLUMN)
def test_any_values_in_a_database_get_an_answer(values: Mapping[str, object], other: object) -> None:
    with home_of() as home:
        blob = ("id, data", [{"id": "main", "data": other}])
        meta = ("source", [{"source": other}])
        rows = [step.row(idx, **values) for idx, step in enumerate([sent("Prune"), asked(), answered()])]
        database(database_path(home), {**tables(rows), "trajectory_metadata_blob": blob, "trajectory_meta": meta})

        page = listed_page(home)

        assert (page.total, page.warnings) == (2, ())


@patient
@given(FIELDS)
def test_any_fields_in_an_index_get_an_answer(summary: Fields) -> None:
    with home_of() as home:
        hub(home, {WITNESS: summary}, root=CLI)
        state(home, {WITNESS: summary})
        summaries(home, listed(WITNESS, raw_summary=encode(summary)))

        assert listed_page(home).warnings == ()


@patient
@given(st.dictionaries(st.sampled_from(list(listed())[1:]), COLUMN))
def test_any_values_in_the_list_of_conversations_get_an_answer(values: Mapping[str, Any]) -> None:
    with home_of() as home:
        summaries(home, listed(WITNESS, **values))

        assert listed_page(home).warnings == ()


@patient
@given(st.dictionaries(st.sampled_from(["step_index", "source", "type", "created_at", "content"]), JSON), STEPS)
def test_any_values_in_a_line_of_a_log_cost_no_conversation(values: dict[str, object], step: Step) -> None:
    with home_of() as home:
        log(home, [step.line(0, **values), answered()])

        page = listed_page(home)

        assert (page.total, page.warnings) == (2, ())


@patient
@given(st.lists(STEPS, max_size=6))
def test_a_log_and_a_database_tell_the_same_of_the_same_steps(steps: list[Step]) -> None:
    with home_of() as home:
        spoken = [step for step in steps if step.text]
        log(home, spoken, number=1)
        conversation(home, spoken, number=2)

        sessions = {session.uuid: session for session in listed_page(home).sessions}

        assert sessions[uuid(2)].title == (sessions[uuid(1)].title if uuid(1) in sessions else None)
        if spoken:
            assert sessions[uuid(1)].message_count == sessions[uuid(2)].message_count
            assert sessions[uuid(1)].last_activity == sessions[uuid(2)].last_activity


@patient
@given(
    st.sampled_from(["history.jsonl", "cache/last_conversations.json", "cache/conversation_metadata.json"]),
    st.dictionaries(st.sampled_from(["display", "workspace", "conversationId", "type", "conversations"]), JSON) | JSON,
)
def test_any_json_in_a_cache_gets_an_answer(file: str, value: object) -> None:
    with home_of() as home:
        put(folder(home) / file, lines([value]))

        listed_page(home)


@patient
@given(st.text(max_size=60).map(lambda text: f'title: "{text}'), st.text(max_size=60))
def test_any_text_in_an_annotation_gets_an_answer(text: str, end: str) -> None:
    with home_of() as home:
        put(annotation(home, "", number=WITNESS), f'{text}" {end}'.encode("utf-8", "surrogatepass"))
        history(home, [])

        assert listed_page(home).warnings == ()
