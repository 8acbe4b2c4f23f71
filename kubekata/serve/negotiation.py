"""What form a client wants its answer in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import msgspec
import yaml

from kubekata.cluster.errors import ApiError

Form = Literal["", "Table", "PartialObjectMetadata", "PartialObjectMetadataList", "APIGroupDiscoveryList"]

_JSON, _YAML = "application/json", "application/yaml"
_FORMS: dict[str, tuple[str, tuple[str, ...]]] = {
    "Table": ("meta.k8s.io", ("v1", "v1beta1")),
    "PartialObjectMetadata": ("meta.k8s.io", ("v1", "v1beta1")),
    "PartialObjectMetadataList": ("meta.k8s.io", ("v1", "v1beta1")),
    "APIGroupDiscoveryList": ("apidiscovery.k8s.io", ("v2", "v2beta1")),
}


class NotAcceptable(ApiError):
    """None of the forms that the client takes can be made (406)."""

    reason = "NotAcceptable"
    code = 406


@dataclass(frozen=True)
class Accepted:
    """The form to answer in; ``version`` is the form's own (``meta.k8s.io/v1``)."""

    media_type: str = _JSON
    form: Form = ""
    version: str = "v1"

    def encode(self, value: Any) -> bytes:
        """Return an answer's bytes."""
        if self.media_type == _YAML:
            text: str = yaml.safe_dump(value, sort_keys=True)
            return text.encode()
        return msgspec.json.encode(value)


def negotiate(header: str, forms: tuple[str, ...] = ()) -> Accepted:
    """Return the first form in an Accept header that can be made; ``forms`` are those of this endpoint.

    Raises:
        NotAcceptable: none can.
    """
    for clause in header.split(",") if header.strip() else ["*/*"]:
        media_type, *parameters = (part.strip() for part in clause.split(";"))
        values = dict(p.split("=", 1) for p in parameters if "=" in p)
        if media_type in ("*/*", "application/*", _JSON):
            media_type = _JSON
        elif media_type != _YAML:
            continue
        wanted = values.get("as", "")
        if not wanted:
            return Accepted(media_type)
        group, versions = _FORMS.get(wanted, ("", ()))
        if wanted in forms and values.get("g") == group and values.get("v") in versions:
            return Accepted(media_type, wanted, values["v"])  # type: ignore[arg-type]
    raise NotAcceptable(f"only the following media types are accepted: {_JSON}, {_YAML}")
