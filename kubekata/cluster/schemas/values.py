"""Checking a value against a structural schema.

The sentences are kube-openapi's, as the API server passes them on: "spec.slots in body should be …".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from kubekata.cluster.validation import FieldError, invalid, not_supported, required, shown

Schema = dict[str, Any]

_OBJECT_FIELDS = frozenset({"apiVersion", "kind", "metadata"})
_INT32, _INT64 = 2**31, 2**63


def validate_value(
    value: Any, schema: Schema, path: str = "", *, is_object: bool = False
) -> list[FieldError]:
    """Return every rule of ``schema`` that ``value`` breaks.

    Args:
        path: where the value stands, for example ``spec.slots``; empty for a whole object.
        is_object: the value is a whole object, whose apiVersion, kind and metadata are checked elsewhere.
    """
    if value is None and schema.get("nullable"):
        return []
    wrong_type = _type_error(value, schema, path)
    if wrong_type is not None:
        return [wrong_type]
    errors = [*_enum(value, schema, path), *_format(value, schema, path)]
    if isinstance(value, str):
        errors += _string(value, schema, path)
    elif isinstance(value, bool):
        pass
    elif isinstance(value, int | float):
        errors += _number(value, schema, path)
    elif isinstance(value, list):
        errors += _array(value, schema, path)
    elif isinstance(value, dict):
        errors += _object(value, schema, path, is_object=is_object)
    return [*errors, *_combinations(value, schema, path)]


@lru_cache(maxsize=512)
def compile_pattern(pattern: str) -> re.Pattern[str]:
    r"""Compile a pattern as Go reads it, as far as Python's syntax goes (``\z`` is Go's end of text).

    Raises:
        re.error: not a regular expression.
    """
    return re.compile(pattern.replace(r"\z", r"\Z"), re.ASCII)


def _type_of(value: Any) -> str:  # noqa: PLR0911 - one line per JSON type
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "integer" if value.is_integer() else "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"


def _type_error(value: Any, schema: Schema, path: str) -> FieldError | None:
    found = _type_of(value)
    if schema.get("x-kubernetes-int-or-string"):
        wanted = "" if found in ("integer", "string") else "integer,string"
    else:
        wanted = schema.get("type") or ""
        if found == wanted or (wanted == "number" and found == "integer"):
            wanted = ""
    if not wanted:
        return None
    why = f'{_in_body(path)} must be of type {wanted}: "{found}"'
    message = f'Invalid value: "{found}": {why}'
    return FieldError(path or "<nil>", "FieldValueTypeInvalid", message)


def _in_body(path: str) -> str:
    return f"{path} in body"


def _enum(value: Any, schema: Schema, path: str) -> Iterator[FieldError]:
    allowed = schema.get("enum")
    if allowed and value not in allowed:
        yield not_supported(path, value, allowed)


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return len(text) == len("2006-01-02")


def _is_date_time(text: str) -> bool:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return False
    return "T" in text.upper() and moment.tzinfo is not None


_FORMATS: dict[str, Callable[[str], bool]] = {
    "date": _is_date,
    "date-time": _is_date_time,
    "datetime": _is_date_time,
    "uuid": lambda text: re.fullmatch(r"(?i)[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}", text) is not None,
    "ipv4": lambda text: re.fullmatch(r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}", text) is not None,
    "email": lambda text: re.fullmatch(r"[^@\s]+@[^@\s]+", text) is not None,
    "byte": lambda text: (
        re.fullmatch(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?", text) is not None
    ),
}


def _format(value: Any, schema: Schema, path: str) -> Iterator[FieldError]:
    name = schema.get("format") or ""
    if isinstance(value, str):
        check = _FORMATS.get(name)
        fits = check is None or check(value)
    elif isinstance(value, int) and not isinstance(value, bool) and name in ("int32", "int64"):
        bound = _INT32 if name == "int32" else _INT64
        fits = -bound <= value < bound
    else:
        return
    if not fits:
        yield invalid(path, value, f"{_in_body(path)} must be of type {name}: {shown(value)}")


def _string(value: str, schema: Schema, path: str) -> Iterator[FieldError]:
    longest, shortest = schema.get("maxLength"), schema.get("minLength")
    if longest is not None and len(value) > longest:
        yield FieldError(path, "FieldValueTooLong", f"Too long: may not be more than {longest} bytes")
    if shortest is not None and len(value) < shortest:
        yield invalid(path, value, f"{_in_body(path)} should be at least {shortest} chars long")
    pattern = schema.get("pattern")
    if pattern and compile_pattern(pattern).search(value) is None:
        yield invalid(path, value, f"{_in_body(path)} should match '{pattern}'")


def _number(value: float, schema: Schema, path: str) -> Iterator[FieldError]:
    at = _in_body(path)
    most, least, step = schema.get("maximum"), schema.get("minimum"), schema.get("multipleOf")
    if step and value % step != 0:
        yield invalid(path, value, f"{at} should be a multiple of {shown(step)}")
    if most is not None:
        if schema.get("exclusiveMaximum"):
            if value >= most:
                yield invalid(path, value, f"{at} should be less than {shown(most)}")
        elif value > most:
            yield invalid(path, value, f"{at} should be less than or equal to {shown(most)}")
    if least is not None:
        if schema.get("exclusiveMinimum"):
            if value <= least:
                yield invalid(path, value, f"{at} should be greater than {shown(least)}")
        elif value < least:
            yield invalid(path, value, f"{at} should be greater than or equal to {shown(least)}")


def _array(value: list[Any], schema: Schema, path: str) -> Iterator[FieldError]:
    most, least = schema.get("maxItems"), schema.get("minItems")
    if most is not None and len(value) > most:
        yield _too_many(path, len(value), most)
    if least is not None and len(value) < least:
        yield invalid(path, len(value), f"{_in_body(path)} should have at least {least} items")
    items = schema.get("items")
    if isinstance(items, dict):
        for index, item in enumerate(value):
            at = f"{path}[{index}]"
            yield from validate_value(
                item, items, at, is_object=bool(items.get("x-kubernetes-embedded-resource"))
            )
    yield from _duplicates(value, schema, path)


def _duplicates(value: list[Any], schema: Schema, path: str) -> Iterator[FieldError]:
    kind = schema.get("x-kubernetes-list-type")
    if kind not in ("set", "map"):
        return
    keys: list[str] = schema.get("x-kubernetes-list-map-keys") or []
    seen: list[Any] = []
    for index, item in enumerate(value):
        identity = item if kind == "set" else {k: item.get(k) for k in keys if isinstance(item, dict)}
        if identity in seen:
            message = f"Duplicate value: {shown(identity)}"
            yield FieldError(f"{path}[{index}]", "FieldValueDuplicate", message)
        seen.append(identity)


def _object(value: dict[str, Any], schema: Schema, path: str, *, is_object: bool) -> Iterator[FieldError]:
    most, least = schema.get("maxProperties"), schema.get("minProperties")
    if most is not None and len(value) > most:
        yield _too_many(path, len(value), most)
    if least is not None and len(value) < least:
        yield invalid(path, len(value), f"{_in_body(path)} should have at least {least} properties")
    for name in schema.get("required") or ():
        if name not in value:
            yield required(_join(path, name))
    properties: dict[str, Schema] = schema.get("properties") or {}
    additional = schema.get("additionalProperties")
    for name in sorted(value):
        part = properties.get(name) or (additional if isinstance(additional, dict) else None)
        if part is None or (is_object and name in _OBJECT_FIELDS):
            continue
        embedded = bool(part.get("x-kubernetes-embedded-resource"))
        yield from validate_value(value[name], part, _join(path, name), is_object=embedded)


def _combinations(value: Any, schema: Schema, path: str) -> Iterator[FieldError]:
    def fits(part: Schema) -> bool:
        return not validate_value(value, part, path)

    why = ""
    all_of, any_of, one_of = (schema.get(key) or [] for key in ("allOf", "anyOf", "oneOf"))
    if any_of and not any(fits(part) for part in any_of):
        why = f'"{path}" must validate at least one schema (anyOf)'
    if one_of and (matching := sum(fits(part) for part in one_of)) != 1:
        found = "Found none valid" if not matching else f"Found {matching} valid alternatives"
        why = f'"{path}" must validate one and only one schema (oneOf). {found}'
    for part in all_of:
        yield from validate_value(value, part, path)
    if isinstance(schema.get("not"), dict) and fits(schema["not"]):
        why = f'"{path}" must not validate the schema (not)'
    if why:
        yield FieldError("<nil>", "FieldValueInvalid", f'Invalid value: "": {why}')


def _too_many(path: str, count: int, most: int) -> FieldError:
    return FieldError(path, "FieldValueTooMany", f"Too many: {count}: must have at most {most} items")


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
