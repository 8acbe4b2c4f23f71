"""Rows of recorded behaviour of Kubernetes v1.36, kept under ``tests/vectors``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

_VECTORS = Path(__file__).parent.parent / "vectors"

Row = dict[str, Any]


def rows(behaviour: str, *operations: str) -> list[Row]:
    """Return the rows of one behaviour that belong to the operations."""
    found: list[Row] = json.loads((_VECTORS / f"{behaviour}.json").read_text())
    return [row for row in found if row["id"].split("/")[1] in operations]


def each(behaviour: str, operation: str) -> pytest.MarkDecorator:
    """Parametrize a test with ``given`` and ``expect`` of every row."""
    found = rows(behaviour, operation)
    ids = [row["id"].split("/")[2] for row in found]
    return pytest.mark.parametrize(("given", "expect"), [(r["given"], r["expect"]) for r in found], ids=ids)


def recorded(name: str) -> list[Row]:
    """Return the lines of a recording."""
    return [json.loads(line) for line in (_VECTORS / f"{name}.jsonl").read_text().splitlines()]
