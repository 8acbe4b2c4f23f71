"""Fixes one thing and calls itself, until nothing differs or something fails."""

from kubekata import MachineNotFound, NotFound, RackNode, Result, TransientError


def settle(rack, name, spec, depth=5):
    """The last machine seen, or None for missing; and whether a step failed."""
    try:
        machine = rack.machine(name)
    except MachineNotFound:
        return None, False
    step = (
        ("flash" if machine.power_state == "Off" else "power_off")
        if machine.firmware != spec.desired_firmware
        else {"On": "power_on", "Off": "power_off"}[spec.power]
        if machine.power_state != spec.power
        else ""
    )
    if not step or not depth:
        return machine, bool(step)
    try:
        {
            "flash": lambda: rack.flash(name, spec.desired_firmware),
            "power_off": lambda: rack.power_off(name),
            "power_on": lambda: rack.power_on(name),
        }[step]()
    except TransientError:
        return settle(rack, name, spec, 0)
    except MachineNotFound:
        return None, False
    return settle(rack, name, spec, depth - 1)


def reconcile(client, rack, request):
    try:
        node = client.get(RackNode, request.name, request.namespace)
        if node.metadata.deleting:
            return Result()
        machine, unfinished = settle(rack, node.name, node.spec)
        phase = "Missing" if machine is None else "Updating" if unfinished else "Ready"
        firmware = machine.firmware if machine else ""
        power = machine.power_state if machine else ""
        words = [phase, firmware, power, node.metadata.generation]
        s = node.status
        if words != [s.phase, s.firmware, s.power_state, s.observed_generation]:
            s.phase, s.firmware, s.power_state, s.observed_generation = words
            client.update_status(node)
    except NotFound:
        return Result()
    return Result() if phase == "Ready" else Result(requeue_after=2.5)
