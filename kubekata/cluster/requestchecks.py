"""Checks of a request against what is stored, before the object itself is looked at.

In Kubernetes they are spread over the handlers and ``registry/rest``.
"""

from __future__ import annotations

from typing import Any

from kubekata.cluster.api import DeleteOptions
from kubekata.cluster.errors import BadRequest, Conflict, Forbidden, NotFound
from kubekata.cluster.resources import ResourceType
from kubekata.cluster.validation import invalid, invalid_object

Manifest = dict[str, Any]


def check_type(resource: ResourceType, manifest: Manifest) -> None:
    """Check that a body is of the kind that its URL serves; fills in what it leaves out.

    Raises:
        BadRequest: another version or kind.
        Invalid: another kind of a custom resource.
    """
    api_version = manifest.setdefault("apiVersion", resource.api_version)
    kind = manifest.setdefault("kind", resource.kind)
    if not resource.custom and (api_version, kind) != (resource.api_version, resource.kind):
        version = str(api_version).rpartition("/")[2]
        raise BadRequest(
            f'{kind} in version "{version}" cannot be handled as a {resource.kind}: '
            f'no kind "{kind}" is registered for this resource'
        )
    if api_version != resource.api_version:
        raise BadRequest(
            f"the API version in the data ({api_version}) does not match the expected API version "
            f"({resource.api_version})"
        )
    if kind != resource.kind:
        error = invalid("kind", kind, f"must be {resource.kind}")
        qualified = f"{kind}.{resource.group}" if resource.group else str(kind)
        refusal = invalid_object(qualified, (manifest.get("metadata") or {}).get("name", ""), [error])
        raise refusal


def check_place(metadata: Manifest, old: Manifest) -> None:
    """Check that an update's body names the object that its URL names."""
    name, namespace = old["metadata"]["name"], old["metadata"].get("namespace", "")
    if not metadata.get("name"):
        raise BadRequest(
            f"the name of the object ({name} based on URL) was undeterminable: name must be provided"
        )
    if metadata["name"] != name:
        raise BadRequest(
            f"the name of the object ({metadata['name']}) does not match the name on the URL ({name})"
        )
    if metadata.get("namespace") and namespace and metadata["namespace"] != namespace:
        raise BadRequest(
            f"the namespace of the object ({metadata['namespace']}) does not match the namespace on the "
            f"request ({namespace})"
        )


def check_namespace(resource: ResourceType, namespace: str, name: str, found: Manifest | None) -> None:
    """Check that new content may come into a namespace; ``found`` is the stored namespace.

    Raises:
        NotFound: there is none.
        Forbidden: it is being deleted.
    """
    if found is None:
        raise NotFound.of("namespaces", namespace)
    if found["metadata"].get("deletionTimestamp"):
        why = f"unable to create new content in namespace {namespace} because it is being terminated"
        raise Forbidden(
            f'{resource.qualified} "{name}" is forbidden: {why}',
            details={
                "name": name,
                **({"group": resource.group} if resource.group else {}),
                "kind": resource.plural,
                "causes": [
                    {
                        "reason": "NamespaceTerminating",
                        "message": f"namespace {namespace} is being terminated",
                        "field": "metadata.namespace",
                    }
                ],
            },
        )


def check_version(resource: ResourceType, metadata: Manifest, old: Manifest) -> None:
    """Check that an update was made from the object as it is now.

    Raises:
        Conflict: from an earlier state, or from another object of that name.
        Invalid: it does not say, and this resource wants to know.
    """
    name, current = old["metadata"]["name"], old["metadata"]
    given = metadata.get("resourceVersion")
    if not given and not resource.unconditional_update:
        error = invalid("metadata.resourceVersion", 0, "must be specified for an update")
        problem = invalid_object(resource.qualified, name, [error])
        raise problem
    if metadata.get("uid") and metadata["uid"] != current["uid"]:
        folder = (resource.group, resource.plural) if resource.custom else (resource.plural,)
        key = "/".join(filter(None, ("/registry", *folder, current.get("namespace"), name)))
        raise Conflict.of(
            resource.plural,
            name,
            resource.group,
            f"StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: "
            f"Precondition failed: UID in precondition: {metadata['uid']}, "
            f"UID in object meta: {current['uid']}",
        )
    if given and given != current["resourceVersion"]:
        raise Conflict.of(resource.plural, name, resource.group)


def check_preconditions(resource: ResourceType, old: Manifest, options: DeleteOptions) -> None:
    """Check the uid and the resource version that a deletion insists on.

    Raises:
        Conflict: one of them is another.
    """
    metadata = old["metadata"]
    for label, wanted, actual in (
        ("UID", options.uid, metadata["uid"]),
        ("ResourceVersion", options.resource_version, metadata["resourceVersion"]),
    ):
        if wanted is not None and wanted != actual:
            raise Conflict.of(
                resource.kind,
                metadata["name"],
                resource.group,
                f"the {label} in the precondition ({wanted}) does not match the {label} in record ({actual}). "
                "The object might have been modified",
            )
