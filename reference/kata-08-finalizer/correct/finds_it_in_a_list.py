"""Lists instead of getting, reads again before every write, and stops after storing the finalizer."""

from contextlib import suppress

from kubekata import ApiError, MachineNotFound, NotFound, RackError, RackNode, Result

FINALIZER = "rack.example.com/decommission"


def find(client, request):
    nodes = client.list(RackNode, namespace=request.namespace)
    return next((node for node in nodes if node.name == request.name), None)


def reconcile(client, rack, request):
    try:
        with suppress(NotFound):
            return work(client, rack, request)
        return Result()
    except (ApiError, RackError):
        return Result(requeue_after=7.5)


def work(client, rack, request):
    node = find(client, request)
    if node is None:
        return Result()
    match (node.metadata.deleting, FINALIZER in node.metadata.finalizers):
        case (True, False):
            return Result()
        case (True, True):
            with suppress(MachineNotFound):
                rack.decommission(request.name)
            fresh = find(client, request)
            if fresh is not None and FINALIZER in fresh.metadata.finalizers:
                fresh.metadata.finalizers.remove(FINALIZER)
                client.update(fresh)
            return Result()
        case (False, False):
            node.metadata.finalizers.append(FINALIZER)
            client.update(node)
            return Result()  # this write brings the next call
    machine = rack.machine(request.name)
    if machine.power_state == node.spec.power:
        return Result()
    if machine.power_state == "Off":
        rack.power_on(request.name)
    else:
        rack.power_off(request.name)
    return Result()
