"""Does one thing per call, and asks for the next call after each."""

from kubekata import Conflict, MachineNotFound, NotFound, RackError, RackNode, Result, ServerTimeout, TooManyRequests

FINALIZER = "rack.example.com/decommission"
SOON = Result(requeue_after=0.5)
LATER = Result(requeue_after=30)


def next_step(client, rack, node):
    held = FINALIZER in node.metadata.finalizers
    if node.metadata.deletion_timestamp:
        if not held:
            return None
        try:
            rack.machine(node.name)
        except MachineNotFound:
            return lambda: let_go(client, node)
        return lambda: rack.decommission(node.name)
    if not held:
        return lambda: hold(client, node)
    if rack.machine(node.name).power_state == node.spec.power:
        return None
    switch = rack.power_on if node.spec.power == "On" else rack.power_off
    return lambda: switch(node.name)


def hold(client, node):
    node.metadata.finalizers = node.metadata.finalizers + [FINALIZER]
    client.update(node)


def let_go(client, node):
    node.metadata.finalizers = [name for name in node.metadata.finalizers if name != FINALIZER]
    client.update(node)


def reconcile(client, rack, request):
    try:
        node = client.get(RackNode, request.name, request.namespace)
        step = next_step(client, rack, node)
        if step is None:
            return Result()
        step()
    except NotFound:
        return Result()
    except MachineNotFound:
        return SOON
    except (Conflict, ServerTimeout, TooManyRequests, RackError):
        return LATER
    return SOON
