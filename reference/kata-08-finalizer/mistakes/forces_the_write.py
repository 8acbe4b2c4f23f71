"""Misconception: a Conflict is an obstacle: take the newest resource version and write the old copy again.

Fails: foreign
"""

from kubekata import ApiError, Conflict, MachineNotFound, NotFound, RackError, RackNode, Result

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
        node.metadata.finalizers.append(FINALIZER)
        node = force(client, node)
    set_power(rack, node)
    return Result()


def force(client, node):
    try:
        return client.update(node)
    except Conflict:
        node.metadata.resource_version = client.get(RackNode, node.name, node.namespace).metadata.resource_version
        return client.update(node)


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
    force(client, node)
    return Result()
