"""Writes the status after every single step, so that a watcher can follow."""

from kubekata import ApiError, MachineNotFound, NotFound, RackError, RackNode, Result


def reconcile(client, rack, request):
    try:
        node = client.get(RackNode, request.name, namespace=request.namespace)
        if node.metadata.deletion_timestamp is not None:
            return Result()
        node, machine = watch(client, rack, node)
        while machine is not None:
            step = choose(rack, node, machine)
            if step is None:
                return Result()
            failed = False
            try:
                step()
            except RackError:
                failed = True
            node, machine = watch(client, rack, node)
            if failed:
                break
    except NotFound:
        return Result()
    except (ApiError, RackError):
        pass
    return Result(requeue_after=8)


def choose(rack, node, machine):
    name, spec = node.name, node.spec
    wrong = machine.firmware != spec.desired_firmware
    if machine.power_state == "On" and (wrong or spec.power == "Off"):
        return lambda: rack.power_off(name)
    if wrong:
        return lambda: rack.flash(name, spec.desired_firmware)
    if machine.power_state != spec.power:
        return lambda: rack.power_on(name)
    return None


def watch(client, rack, node):
    try:
        machine = rack.machine(node.name)
    except MachineNotFound:
        machine = None
    fields = {"phase": "Missing", "firmware": "", "power_state": ""}
    if machine:
        spec = node.spec
        ok = machine.firmware == spec.desired_firmware and machine.power_state == spec.power
        fields = {
            "phase": "Ready" if ok else "Updating",
            "firmware": machine.firmware,
            "power_state": machine.power_state,
        }
    fields["observed_generation"] = node.metadata.generation
    dirty = False
    for field, value in fields.items():
        if getattr(node.status, field) != value:
            setattr(node.status, field, value)
            dirty = True
    if dirty:
        node = client.update_status(node)
    return node, machine
