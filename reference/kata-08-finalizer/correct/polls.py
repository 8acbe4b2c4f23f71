"""Looks at a live machine every minute besides, as a cautious operator would."""

from kubekata import ApiError, MachineNotFound, NotFound, RackError, RackNode, Request, Result

FINALIZER = "rack.example.com/decommission"


def guarded(function):
    def wrapper(client, rack, request: Request):
        try:
            return function(client, rack, request)
        except NotFound:
            return Result()
        except (RackError, ApiError):
            return Result(requeue_after=3)

    return wrapper


@guarded
def reconcile(client, rack, request):
    node = client.get(RackNode, request.name, request.namespace)
    names = list(node.metadata.finalizers)
    if node.metadata.deletion_timestamp is not None and FINALIZER not in names:
        return Result()
    if node.metadata.deletion_timestamp is not None:
        try:
            rack.decommission(node.metadata.name)
        except MachineNotFound:
            pass
        names.remove(FINALIZER)
        node.metadata.finalizers = names
        client.update(node)
        return Result()
    if FINALIZER not in names:
        node.metadata.finalizers = names + [FINALIZER]
        client.update(node)
    state = rack.machine(node.metadata.name).power_state
    if state != node.spec.power and node.spec.power == "On":
        rack.power_on(node.metadata.name)
    elif state != node.spec.power:
        rack.power_off(node.metadata.name)
    return Result(requeue_after=60)
