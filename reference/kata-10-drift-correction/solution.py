"""Reference solution of kata 10: look at the machine, close the gap, look again, report."""

from contextlib import suppress

import msgspec

from kubekata import ApiError, Client, MachineNotFound, NotFound, Rack, RackError, RackNode, Request, Result

RETRY_AFTER = 10.0


def reconcile(client: Client, rack: Rack, request: Request) -> Result:
    """Bring one RackNode's machine to its spec, and report what the machine is like."""
    try:
        node = client.get(RackNode, request.name, request.namespace)
        if node.metadata.deleting:
            return Result()
        with suppress(RackError):  # how far it came is what the report is about
            close_the_gap(rack, node)
        ready = report(client, rack, node)
    except NotFound:
        return Result()
    except (ApiError, RackError):
        return Result(requeue_after=RETRY_AFTER)
    return Result() if ready else Result(requeue_after=RETRY_AFTER)


def close_the_gap(rack: Rack, node: RackNode) -> None:
    """Change what differs from the spec. An error leaves the rest to the next call."""
    machine = rack.machine(node.name)
    power = machine.power_state
    if machine.firmware != node.spec.desired_firmware:
        if power == "On":
            rack.power_off(node.name)
            power = "Off"
        rack.flash(node.name, node.spec.desired_firmware)
    if power != node.spec.power:
        switch = rack.power_on if node.spec.power == "On" else rack.power_off
        switch(node.name)


def report(client: Client, rack: Rack, node: RackNode) -> bool:
    """Write the machine into the status if it says something else; true if the machine agrees with the spec."""
    try:
        machine = rack.machine(node.name)
    except MachineNotFound:
        firmware, power, phase = "", "", "Missing"
    else:
        firmware, power = machine.firmware, machine.power_state
        agrees = (firmware, power) == (node.spec.desired_firmware, node.spec.power)
        phase = "Ready" if agrees else "Updating"

    seen = msgspec.structs.replace(
        node.status,
        phase=phase,
        firmware=firmware,
        power_state=power,
        observed_generation=node.metadata.generation,
    )
    if seen != node.status:
        node.status = seen
        client.update_status(node)
    return phase == "Ready"
