"""Changes finalizers in a loop that reads afresh on every Conflict, and never leaves with one."""

from kubekata import ApiError, Conflict, MachineNotFound, NotFound, RackError, RackNode, Result

FINALIZER = "rack.example.com/decommission"


class Abandoned(Exception):
    pass


def change(client, request, edit):
    """Read, edit, write; again on Conflict. The edit says False when there is nothing to write."""
    for _ in range(10):
        node = client.get(RackNode, request.name, request.namespace)
        if not edit(node):
            return node
        try:
            return client.update(node)
        except Conflict:
            continue
    raise Abandoned


def put_on(node):
    if node.metadata.deleting or FINALIZER in node.metadata.finalizers:
        return False
    node.metadata.finalizers.append(FINALIZER)
    return True


def take_off(node):
    if FINALIZER not in node.metadata.finalizers:
        return False
    node.metadata.finalizers.remove(FINALIZER)
    return True


def decommissioned(rack, name):
    try:
        rack.decommission(name)
    except MachineNotFound:
        return True
    except RackError:
        return False
    return True


def reconcile(client, rack, request):
    try:
        node = change(client, request, put_on)
        mine = FINALIZER in node.metadata.finalizers
        if not mine:
            return Result()
        if not node.metadata.deleting:
            power(rack, node)
        elif decommissioned(rack, node.name):
            change(client, request, take_off)
        else:
            return Result(requeue_after=20.0)
        return Result()
    except NotFound:
        return Result()
    except (Abandoned, ApiError, RackError):
        return Result(requeue_after=20.0)


def power(rack, node):
    actual = rack.machine(node.name).power_state
    if actual != node.spec.power:
        {"On": rack.power_on, "Off": rack.power_off}[node.spec.power](node.name)
