"""Asks whether the machine is there before it decommissions, and checks afterwards that it has gone."""

from kubekata import ApiError, MachineNotFound, NotFound, RackError, RackNode, Result

FINALIZER = "rack.example.com/decommission"


def look(rack, name):
    try:
        return rack.machine(name)
    except MachineNotFound:
        return None


def again():
    return Result(requeue_after=12)


def reconcile(client, rack, request):
    try:
        node = client.get(RackNode, request.name, namespace=request.namespace)
        meta = node.metadata
        alive = meta.deletion_timestamp is None
        ours = FINALIZER in meta.finalizers
        if alive and not ours:
            meta.finalizers.append(FINALIZER)
            node = client.update(node)
            meta, ours = node.metadata, True
        if not ours:
            return Result()

        machine = look(rack, request.name)
        if alive:
            if machine is None:
                return again()
            if machine.power_state != node.spec.power:
                (rack.power_on if node.spec.power == "On" else rack.power_off)(request.name)
            return Result()

        if machine is not None:
            rack.decommission(request.name)
            if look(rack, request.name) is not None:
                return again()
        meta.finalizers.remove(FINALIZER)
        client.update(node)
        return Result()
    except NotFound:
        return Result()
    except ApiError:
        return again()
    except RackError:
        return again()
