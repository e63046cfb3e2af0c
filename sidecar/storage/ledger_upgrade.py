"""Conversion of the delivery ledger from texts that packed several values into JSON objects. Pure.

It belongs to one migration step and is never edited; the present form is documented in `runs/ledger_entries.py`.
"""

import json
from collections.abc import Mapping
from typing import Any

from sidecar.core.lazy_regex import lazy_regex

_HUNK = lazy_regex(r"([-+\d]+)([=~])([0-9a-f]+)")


def entry_of_digest(item: str, digest: str) -> bytes:
    """Return the JSON form of a delivery's entry from its former text."""
    return json.dumps(_entry(item, digest), separators=(",", ":"), ensure_ascii=False).encode()


def _entry(item: str, digest: str) -> dict[str, Any]:
    if digest == "gone":
        return {"kind": "removed"}
    if item.startswith("context:"):
        return _file(digest)
    if item.startswith("delta:file:"):
        return _change(digest)
    head, _, rest = digest.partition(":")
    if item == "delta:head":
        branch, _, named = rest.partition(":")
        return {"kind": "head", "digest": head, "branch": branch, "is_whole": named != "named"}
    if item == "delta:todos":
        return _tasks(digest)
    if item == "delta:more":
        return {"kind": "files", "digest": head, "ids": [file_id for file_id in rest.split(",") if file_id]}
    if item.startswith("delta:tests:"):
        return {"kind": "failure", "digest": head, "is_own": rest == "seen"}
    if item.startswith("memory:"):
        return {"kind": "memory", "version": head, "level": rest}
    return {"kind": "text", "digest": digest}


def _file(digest: str) -> dict[str, Any]:
    if digest == "pointer":
        return {"kind": "file", "content": "", "regions": []}
    if not digest.startswith("r:"):
        return {"kind": "file", "content": digest, "regions": []}
    pairs = (region.partition(".") for region in digest[2:].split(",") if region)
    return {"kind": "file", "content": "", "regions": [{"name": name, "content": lines} for name, _, lines in pairs]}


def _change(digest: str) -> dict[str, Any]:
    change, *parts = digest.split(":")
    matches = (_HUNK.fullmatch(text) for text in (parts[-1] if parts else "").split(","))
    hunks = [
        {"hunk_id": match[3], "position": match[1], "is_shown": match[2] == "="}
        for match in matches
        if match is not None
    ]
    return {"kind": "change", "change": change, "hunks": hunks, "is_whole": "named" not in parts}


def _tasks(digest: str) -> dict[str, Any]:
    start = digest.find("[")
    try:
        rows = json.loads(digest[start:]) if start >= 0 else []
        tasks = [{"task_id": task, "status": status, "beginning": text} for task, status, text in rows]
    except (TypeError, ValueError):
        tasks = []
    return {"kind": "tasks", "digest": digest[:start] if start >= 0 else digest, "tasks": tasks}


def converted_record(record: bytes) -> bytes:
    """Return the record of a pre-run in version 3; one that cannot be read stays as it is."""
    try:
        value = json.loads(record)
        converted = value if value.get("version") else _record_of_version_1(value)
        delivered = [
            {"key": item["key"], "entry": _entry(item["key"], item["digest"]), "bytes": item["bytes"]}
            for item in converted["delivered"]
        ]
        items = [{**item, "regions": []} for item in converted["items"]]
    except (AttributeError, KeyError, TypeError, ValueError):
        return record
    return json.dumps(
        {**converted, "version": 3, "delivered": delivered, "items": items}, separators=(",", ":"), ensure_ascii=False
    ).encode("utf-8", "replace")


def _record_of_version_1(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return version 2 of a record, from rows for items and other names."""
    pin = value.get("pin")
    names = ("key", "kind", "bytes", "disposition", "why", "score")
    return {
        "action": value["action"],
        "reason": value["reason"],
        "metadata": value["metadata"],
        "is_passthrough": bool(value.get("passedThrough")),
        "delivered": [dict(zip(("key", "digest", "bytes"), row, strict=True)) for row in value.get("delivered", ())],
        "files": list(value.get("files", ())),
        "anchor": {"id": pin[0], "text": pin[1]} if pin else None,
        "is_fresh": bool(value.get("fresh")),
        "bracket": value.get("bracket"),
        "items": [dict(zip(names, row, strict=True)) for row in value["items"]],
        "baseline": {
            "head": value["head"],
            "changed": value["changed"],
            "lines": value.get("lines"),
            "sent_head": value.get("toldHead"),
            "is_late": bool(value.get("late")),
        },
    }
