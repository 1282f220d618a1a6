"""Claude Desktop's records: one small JSON file for each session of its Code and Cowork tabs.

The records hold mail addresses, prompts and tokens too: only the fields named here are read. Known from public
sources (Claude Desktop 2026), not from runs.
"""

from __future__ import annotations

import msgspec

from sesls.formats import jsonl


class Record(msgspec.Struct, rename="camel", frozen=True):
    """What sesls reads of a `local_<uuid>.json`. Times are epoch milliseconds."""

    session_id: str | None = None
    cli_session_id: str | None = None
    """The transcript's id; absent until the session was really started."""
    cwd: str | None = None
    title: str | None = None
    created_at: str | float | None = None
    last_activity_at: str | float | None = None
    is_archived: bool | None = None
    session_type: str | None = None
    """What kind of session it is, where Desktop says so."""
    user_selected_folders: list[str] | None = None
    ssh_config: object = None
    wsl_config: object = None
    prior_cli_session_ids: list[str] | None = None
    pre_clear_cli_session_id: str | None = None

    @property
    def transcripts(self) -> tuple[str, ...]:
        """The ids of all transcripts that this record was ever about."""
        ids = (self.cli_session_id, self.pre_clear_cli_session_id, *(self.prior_cli_session_ids or ()))
        return tuple(one for one in ids if one)


_RECORD = msgspec.json.Decoder(Record)


def read_record(path: str) -> Record:
    """Return a Desktop record. Raises OSError, and ValueError for a file that is none."""
    record = jsonl.whole_file(path, _RECORD)
    if record is None:
        raise ValueError("is no readable record")
    return record
