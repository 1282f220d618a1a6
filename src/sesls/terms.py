"""The words that fields, filters, formats and commands take."""

from __future__ import annotations

from typing import Literal

Kind = Literal["agent", "subagent"]
"""Whether a person started a session, or another session did."""

Activity = Literal["fresh", "stale"]

Noise = Literal["include", "exclude", "only"]
"""What to do with sessions that other sessions spawned."""

Sort = Literal["activity", "created", "title", "size"]
"""What sessions are ordered by: times from the newest, titles from A, sizes from the largest."""

Format = Literal["table", "tree", "json", "jsonl", "csv"]
"""What a list is written as."""

Shape = Literal["list", "show", "agents", "diagnostics", "cache"]
"""The shapes of JSON that sesls prints, by the commands that print them."""

FIELDS = (
    *("uuid", "agent", "title", "kind", "parent_uuid", "project_dir", "launch_surface", "models", "last_activity"),
    *("date", "age_sec", "activity", "created", "size_bytes", "message_count", "path", "home", "resume_command"),
    "extra",
)
"""The fields of a session, in the order of the JSON."""
