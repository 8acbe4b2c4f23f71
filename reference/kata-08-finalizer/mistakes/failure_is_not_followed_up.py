"""Misconception: after an error there will be another event.

Fails: failure
"""

from kubekata import ApiError, MachineNotFound, NotFound, RackError, RackNode, Result

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
        return Result()


def bring_up(client, rack, node):
    if FINALIZER not in node.metadata.finalizers:
        node.metadata.finalizers.append(FINALIZER)
        node = client.update(node)
    set_power(rack, node)
    return Result()


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
