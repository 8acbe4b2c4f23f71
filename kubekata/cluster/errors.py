"""The API server's answers that are not a success, as exceptions.

The class names are Kubernetes' own reasons (``metav1.StatusReason``), so that ``except Conflict`` reads
like ``apierrors.IsConflict(err)``. Each error converts to and from the ``Status`` object that a real
API server sends.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

Manifest = dict[str, Any]


class ApiError(Exception):
    """A refusal by the API server.

    Attributes:
        reason: machine-readable cause, for example ``"NotFound"``; empty when the server gave none.
        code: HTTP status code.
        message: the sentence a person reads.
        details: the ``details`` part of the Status object (name, group, kind, causes, retryAfterSeconds).
    """

    reason: ClassVar[str] = ""
    code: ClassVar[int] = 500

    def __init__(self, message: str = "", *, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message or self.reason)
        self.message = message or self.reason
        self.details: Manifest = dict(details or {})

    @property
    def retry_after(self) -> float | None:
        """Seconds after which the server asks to be tried again, or None when it did not say."""
        seconds = self.details.get("retryAfterSeconds")
        return float(seconds) if seconds is not None else None

    def to_status(self) -> Manifest:
        """Return this error as a ``Status`` manifest."""
        status: Manifest = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
        }
        if self.reason:
            status["reason"] = self.reason
        if self.details:
            status["details"] = self.details
        status["code"] = self.code
        return status

    @classmethod
    def from_status(cls, status: Mapping[str, Any]) -> ApiError:
        """Return the exception for a ``Status`` manifest; an unknown reason gives a plain ApiError."""
        error_class = _BY_REASON.get(str(status.get("reason", "")), ApiError)
        return error_class(str(status.get("message", "")), details=status.get("details") or {})

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), self.message, self.details))


def _rebuild(cls: type[ApiError], message: str, details: Manifest) -> ApiError:
    return cls(message, details=details)


class BadRequest(ApiError):
    """The request itself makes no sense (400)."""

    reason = "BadRequest"
    code = 400


class Unauthorized(ApiError):
    """The caller is not known (401)."""

    reason = "Unauthorized"
    code = 401


class Forbidden(ApiError):
    """The caller is known and may not do this (403)."""

    reason = "Forbidden"
    code = 403

    @classmethod
    def of(cls, resource: str, name: str, group: str, why: str) -> Self:
        """The answer for something that may not be done to an object."""
        qualified = f"{resource}.{group}" if group else resource
        return cls(f'{qualified} "{name}" is forbidden: {why}', details=_details(name, group, resource))


class NotFound(ApiError):
    """The object is not there (404)."""

    reason = "NotFound"
    code = 404

    @classmethod
    def of(cls, resource: str, name: str, group: str = "") -> Self:
        """The answer for one missing object; ``resource`` is the plural, without its group."""
        qualified = f"{resource}.{group}" if group else resource
        return cls(f'{qualified} "{name}" not found', details=_details(name, group, resource))


class MethodNotAllowed(ApiError):
    """The resource does not support this verb (405)."""

    reason = "MethodNotAllowed"
    code = 405


class AlreadyExists(ApiError):
    """An object of that name is there (409)."""

    reason = "AlreadyExists"
    code = 409

    @classmethod
    def of(cls, resource: str, name: str, group: str = "") -> Self:
        """The answer for a create of a name that is taken."""
        qualified = f"{resource}.{group}" if group else resource
        return cls(f'{qualified} "{name}" already exists', details=_details(name, group, resource))


class Conflict(ApiError):
    """Somebody else wrote the object since it was read (409): read again, then retry."""

    reason = "Conflict"
    code = 409

    STALE: ClassVar[str] = (
        "the object has been modified; please apply your changes to the latest version and try again"
    )

    @classmethod
    def of(cls, resource: str, name: str, group: str = "", why: str = "") -> Self:
        """The answer for a write that lost the race; ``why`` defaults to the stale-version sentence."""
        qualified = f"{resource}.{group}" if group else resource
        message = f'Operation cannot be fulfilled on {qualified} "{name}": {why or cls.STALE}'
        return cls(message, details=_details(name, group, resource))


class Gone(ApiError):
    """The asked-for thing is no longer available (410)."""

    reason = "Gone"
    code = 410


class Expired(Gone):
    """A resourceVersion or continue token is older than what the server remembers (410): list again."""

    reason = "Expired"
    code = 410


class RequestEntityTooLarge(ApiError):
    """The body is larger than the server accepts (413)."""

    reason = "RequestEntityTooLarge"
    code = 413


class UnsupportedMediaType(ApiError):
    """The body is in a format that the server does not read (415)."""

    reason = "UnsupportedMediaType"
    code = 415


class Invalid(ApiError):
    """The object breaks a validation rule (422); ``details["causes"]`` names each field."""

    reason = "Invalid"
    code = 422


class TooManyRequests(ApiError):
    """The server asks for patience (429): an overloaded server, or a disruption budget that is used up."""

    reason = "TooManyRequests"
    code = 429


class InternalError(ApiError):
    """The server failed (500)."""

    reason = "InternalError"
    code = 500


class ServiceUnavailable(ApiError):
    """The server cannot answer now (503)."""

    reason = "ServiceUnavailable"
    code = 503


class ServerTimeout(ApiError):
    """The server gave up before the work was done (504): the write may or may not have happened."""

    reason = "ServerTimeout"
    code = 504


class Timeout(ApiError):
    """The request could not be completed within its time (504)."""

    reason = "Timeout"
    code = 504


def _details(name: str, group: str, kind: str) -> Manifest:
    details: Manifest = {"name": name}
    if group:
        details["group"] = group
    details["kind"] = kind
    return details


def _all_reasons(cls: type[ApiError]) -> dict[str, type[ApiError]]:
    found = {cls.reason: cls} if cls.reason else {}
    for subclass in cls.__subclasses__():
        found |= _all_reasons(subclass)
    return found


_BY_REASON = _all_reasons(ApiError)
