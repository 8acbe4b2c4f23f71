"""Leaves retries to the loop around it: whatever means "not now" is simply let out."""

from kubekata import MachineNotFound, NotFound, RackNode, Result

FINALIZER = "rack.example.com/decommission"


def reconcile(client, rack, request):
    try:
        node = client.get(RackNode, request.name, request.namespace)
    except NotFound:
        return Result()

    finalizers = node.metadata.finalizers
    if node.metadata.deletion_timestamp is None:
        if FINALIZER not in finalizers:
            finalizers.insert(0, FINALIZER)
            try:
                client.update(node)
            except NotFound:
                return Result()
        power = rack.machine(request.name).power_state
        if power == "Off" and node.spec.power == "On":
            rack.power_on(request.name)
        if power == "On" and node.spec.power == "Off":
            rack.power_off(request.name)
    elif FINALIZER in finalizers:
        try:
            rack.decommission(request.name)
        except MachineNotFound:
            print(request.name, "was gone already")
        finalizers.remove(FINALIZER)
        try:
            client.update(node)
        except NotFound:
            pass
    return Result()
