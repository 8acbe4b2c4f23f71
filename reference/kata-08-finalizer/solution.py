"""Reference solution of kata 08: a finalizer that lets no RackNode go before its machine is cleaned up."""

from contextlib import suppress

from kubekata import ApiError, Client, MachineNotFound, NotFound, Rack, RackError, RackNode, Request, Result

FINALIZER = "rack.example.com/decommission"
RETRY_AFTER = 10.0


def reconcile(client: Client, rack: Rack, request: Request) -> Result:
    """Bring a RackNode's machine to its power state; once the RackNode is being deleted, decommission it."""
    try:
        node = client.get(RackNode, request.name, request.namespace)
        if node.metadata.deleting:
            clean_up(client, rack, node)
        else:
            bring_up(client, rack, node)
    except NotFound:
        return Result()  # gone, at the first look or since then: nothing is left to do
    except (ApiError, RackError):
        return Result(requeue_after=RETRY_AFTER)  # the next call reads everything afresh
    return Result()


def bring_up(client: Client, rack: Rack, node: RackNode) -> None:
    # The finalizer is stored before the hardware is touched: from here on no deletion can overtake us.
    if FINALIZER not in node.metadata.finalizers:
        node.metadata.finalizers.append(FINALIZER)
        client.update(node)
    if rack.machine(node.name).power_state == node.spec.power:
        return
    if node.spec.power == "On":
        rack.power_on(node.name)
    else:
        rack.power_off(node.name)


def clean_up(client: Client, rack: Rack, node: RackNode) -> None:
    # Without our finalizer the machine is clean already, or was never ours; the others hold the object.
    if FINALIZER not in node.metadata.finalizers:
        return
    with suppress(MachineNotFound):
        rack.decommission(node.name)
    node.metadata.finalizers.remove(FINALIZER)
    client.update(node)
