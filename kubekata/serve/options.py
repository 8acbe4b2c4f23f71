"""Query parameters as typed options, checked as ``ListOptions`` and its siblings are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from kubekata.cluster.api import DeleteOptions
from kubekata.cluster.errors import BadRequest
from kubekata.cluster.resources import ResourceType
from kubekata.cluster.validation import FieldError, forbidden, invalid, invalid_object, not_supported

Manifest = dict[str, Any]
Query = Mapping[str, str]
FieldValidation = Literal["Ignore", "Warn", "Strict"]

_POLICIES = ["Foreground", "Background", "Orphan", "nil"]
_MATCHES = ["Exact", "NotOlderThan"]
_LONGEST_MANAGER = 128


@dataclass(frozen=True)
class ListOptions:
    """What to list or watch. ``resource_version`` is None where the client did not say."""

    label_selector: str = ""
    field_selector: str = ""
    limit: int = 0
    continue_token: str = ""
    resource_version: int | None = None
    match: str = ""
    watch: bool = False
    bookmarks: bool = False
    timeout_seconds: int | None = None
    initial_events: bool | None = None


@dataclass(frozen=True)
class WriteOptions:
    """How to write."""

    dry_run: bool = False
    field_manager: str = ""
    field_validation: FieldValidation = "Warn"
    force: bool | None = None


def list_options(query: Query, resource: ResourceType) -> ListOptions:
    """Read the options of a list, watch or deletecollection.

    Raises:
        BadRequest: not a number where one has to be.
        Invalid: a combination that makes no sense.
    """
    text = query.get("resourceVersion", "")
    match = query.get("resourceVersionMatch", "")
    initial_events = _boolean(query, "sendInitialEvents")
    options = ListOptions(
        label_selector=query.get("labelSelector", ""),
        field_selector=query.get("fieldSelector", ""),
        limit=max(_integer(query, "limit") or 0, 0),
        continue_token=query.get("continue", ""),
        resource_version=resource_version(text, resource),
        match=match,
        watch=bool(_boolean(query, "watch")),
        bookmarks=bool(_boolean(query, "allowWatchBookmarks")),
        timeout_seconds=_integer(query, "timeoutSeconds"),
        initial_events=initial_events,
    )
    errors = _watch_errors(options) if options.watch else _match_errors(options)
    if errors:
        refusal = invalid_object("ListOptions.meta.k8s.io", "", errors)
        raise refusal
    if options.continue_token and options.resource_version:
        raise BadRequest("specifying resource version is not allowed when using continue")
    return options


def resource_version(text: str, resource: ResourceType) -> int | None:
    """Read a resource version; None if it is not given.

    Raises:
        Invalid: not a number.
    """
    if not text:
        return None
    if text.isascii() and text.isdecimal():
        return int(text)
    error = invalid("resourceVersion", text, f'strconv.ParseUint: parsing "{text}": invalid syntax')
    refusal = invalid_object(resource.qualified, "", [error])
    raise refusal


def write_options(query: Query, kind: str, *, apply: bool = False, user_agent: str = "") -> WriteOptions:
    """Read the options of a write; ``kind`` is ``CreateOptions``, ``UpdateOptions`` or ``PatchOptions``.

    Raises:
        Invalid: a value that is not allowed.
    """
    errors = _dry_run_errors(query)
    manager = query.get("fieldManager", "")
    if len(manager) > _LONGEST_MANAGER:
        why = f"Too long: may not be more than {_LONGEST_MANAGER} bytes"
        errors.append(FieldError("fieldManager", "FieldValueTooLong", why))
    validation = query.get("fieldValidation", "")
    if validation not in ("", "Ignore", "Warn", "Strict"):
        errors.append(not_supported("fieldValidation", validation, ["", "Ignore", "Strict", "Warn"]))
    force = _boolean(query, "force")
    if force is not None and not apply and kind == "PatchOptions":
        errors.append(forbidden("force", "may not be specified for non-apply patch"))
    if errors:
        refusal = invalid_object(f"{kind}.meta.k8s.io", "", errors)
        raise refusal
    if not manager and not apply:
        manager = user_agent.split("/", 1)[0] or "unknown"
    levels: dict[str, FieldValidation] = {"Ignore": "Ignore", "Strict": "Strict"}
    return WriteOptions(
        dry_run=bool(query.get("dryRun")),
        field_manager=manager,
        field_validation=levels.get(validation, "Warn"),
        force=force,
    )


def delete_options(query: Query, body: Any) -> tuple[DeleteOptions, bool]:
    """Read how to delete, from the body or else the query; returns the options and whether it is a dry run.

    Raises:
        BadRequest, Invalid.
    """
    given: Manifest = dict(body) if isinstance(body, dict) else {}
    if not given:
        given = {key: query[key] for key in ("propagationPolicy",) if query.get(key)}
        grace = _integer(query, "gracePeriodSeconds")
        if grace is not None:
            given["gracePeriodSeconds"] = grace
        orphan = _boolean(query, "orphanDependents")
        if orphan is not None:
            given["orphanDependents"] = orphan
    dry_run = given.get("dryRun") or ([query["dryRun"]] if query.get("dryRun") else [])
    errors = _dry_run_errors({"dryRun": dry_run[0] if isinstance(dry_run, list) and dry_run else ""})
    policy = given.get("propagationPolicy")
    if policy is not None and policy not in _POLICIES[:3]:
        errors.append(not_supported("propagationPolicy", policy, _POLICIES))
    if given.get("orphanDependents") is not None:
        if policy is not None:
            why = "orphanDependents and deletionPropagation cannot be both set"
            errors.append(invalid("propagationPolicy", policy, why))
        policy = "Orphan" if given["orphanDependents"] else "Background"
    if errors:
        refusal = invalid_object("DeleteOptions.meta.k8s.io", "", errors)
        raise refusal
    preconditions = {} if given.get("preconditions") is None else given["preconditions"]
    grace = given.get("gracePeriodSeconds")
    if not isinstance(preconditions, dict) or not isinstance(grace, int | None) or isinstance(grace, bool):
        raise BadRequest(
            'DeleteOptions in version "v1" cannot be handled as a DeleteOptions: json: cannot unmarshal '
            "into Go struct field DeleteOptions"
        )
    options = DeleteOptions(
        grace_period_seconds=grace,
        propagation_policy=policy,
        uid=preconditions.get("uid"),
        resource_version=preconditions.get("resourceVersion"),
    )
    return options, bool(dry_run)


def _dry_run_errors(query: Query) -> list[FieldError]:
    value = query.get("dryRun", "")
    return [not_supported("dryRun", [value], ["All"])] if value not in ("", "All") else []


def _match_errors(options: ListOptions) -> list[FieldError]:
    errors: list[FieldError] = []
    if options.match:
        field = "resourceVersionMatch"
        if options.resource_version is None:
            errors.append(forbidden(field, f"{field} is forbidden unless resourceVersion is provided"))
        if options.continue_token:
            errors.append(forbidden(field, f"{field} is forbidden when continue is provided"))
        if options.match not in _MATCHES:
            errors.append(not_supported(field, options.match, [*_MATCHES, ""]))
        elif options.match == "Exact" and options.resource_version == 0:
            why = f'{field} "Exact" is forbidden for resourceVersion "0"'
            errors.append(forbidden(field, why))
    if options.initial_events is not None:
        errors.append(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
    return errors


def _watch_errors(options: ListOptions) -> list[FieldError]:
    field = "resourceVersionMatch"
    if options.initial_events is None:
        if options.match:
            return [forbidden(field, f"{field} is forbidden for watch unless sendInitialEvents is provided")]
        return []
    if options.match != "NotOlderThan":
        why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
        return [forbidden(field, why)]
    return []


def _integer(query: Query, name: str) -> int | None:
    text = query.get(name)
    if not text:
        return None
    digits = text.removeprefix("-").removeprefix("+")
    if digits.isascii() and digits.isdecimal():
        return int(text)
    raise BadRequest(f'strconv.ParseInt: parsing "{text}": invalid syntax')


def _boolean(query: Query, name: str) -> bool | None:
    if name not in query:
        return None
    return query[name].lower() not in ("false", "0")
