"""Misconception: an update needs the name, the version and what we want to change.

Fails: foreign
"""

from kubekata import ApiError, MachineNotFound, NotFound, ObjectMeta, RackError, RackNode, Result

FINALIZER = "rack.example.com/decommission"


def reconcile(client, rack, request):
    try:
        node = client.get(RackNode, request.name, request.namespace)
        if node.metadata.deletion_timestamp is not None:
            return clean_up(client, rack, node)
        return bring_up(client, rack, node)
    except NotFound:
        return Result()
    except (ApiError, RackError):
        return Result(requeue_after=5)


def bring_up(client, rack, node):
    if FINALIZER not in node.metadata.finalizers:
        node = client.update(minimal(node, [*node.metadata.finalizers, FINALIZER]))
    set_power(rack, node)
    return Result()


def minimal(node, finalizers):
    meta = node.metadata
    return RackNode(
        metadata=ObjectMeta(
            name=meta.name,
            namespace=meta.namespace,
            uid=meta.uid,
            resource_version=meta.resource_version,
            creation_timestamp=meta.creation_timestamp,
            deletion_timestamp=meta.deletion_timestamp,
            deletion_grace_period_seconds=meta.deletion_grace_period_seconds,
            finalizers=finalizers,
        ),
        spec=node.spec,
    )


def set_power(rack, node):
    if rack.machine(node.name).power_state != node.spec.power:
        if node.spec.power == "On":
            rack.power_on(node.name)
        else:
            rack.power_off(node.name)


def clean_up(client, rack, node):
    if FINALIZER not in node.metadata.finalizers:
        return Result()
    try:
        rack.decommission(node.name)
    except MachineNotFound:
        pass
    node.metadata.finalizers.remove(FINALIZER)
    client.update(node)
    return Result()
