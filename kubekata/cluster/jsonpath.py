"""The JSONPath of printer columns and scale paths: ``.status.conditions[?(@.type=="Ready")].status``.

The part of client-go's ``util/jsonpath`` that a CustomResourceDefinition may use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

_STEP = re.compile(
    r"""\.?(?:
        (?P<name>(?:\\.|[^.\[\]\\])+)
      | \['(?P<quoted>(?:\\.|[^'\\])*)'\]
      | \[(?P<index>-?\d+)\]
      | \[(?P<all>\*)\]
      | \[\?\(@\.(?P<field>[\w.\-/]+)\s*(?P<operator>==|!=)\s*(?P<value>"[^"]*"|'[^']*'|[\w.\-]+)\)\]
    )""",
    re.VERBOSE,
)


def find(value: Any, path: str) -> list[Any]:
    """Return what a path leads to, in order; nothing where a step is missing.

    Raises:
        ValueError: not a path that is understood.
    """
    found = [value]
    for step in compile_path(path):
        found = [part for item in found for part in _take(item, step)]
    return found


@lru_cache(maxsize=512)
def compile_path(path: str) -> tuple[dict[str, str], ...]:
    """Split a path into steps.

    Raises:
        ValueError: not a path that is understood.
    """
    text = path.strip().removeprefix("{").removesuffix("}").removeprefix("$")
    if text in ("", "."):
        return ()
    steps: list[dict[str, str]] = []
    at = 0
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None or match.end() == at:
            msg = f"not a JSONPath that can be read: {path!r}"
            raise ValueError(msg)
        steps.append({key: part for key, part in match.groupdict().items() if part is not None})
        at = match.end()
    return tuple(steps)


def _take(value: Any, step: dict[str, str]) -> Iterator[Any]:
    if "name" in step or "quoted" in step:
        name = re.sub(r"\\(.)", r"\1", step.get("name") or step.get("quoted") or "")
        if isinstance(value, dict) and name == "*":
            yield from value.values()
        elif isinstance(value, dict) and name in value:
            yield value[name]
    elif not isinstance(value, list):
        return
    elif "index" in step:
        index = int(step["index"])
        if -len(value) <= index < len(value):
            yield value[index]
    elif "all" in step:
        yield from value
    else:
        wanted = step["value"].strip("\"'")
        for item in value:
            found = find(item, "." + step["field"]) if isinstance(item, dict) else []
            holds = bool(found) and _text(found[0]) == wanted
            if holds is (step["operator"] == "=="):
                yield item


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
