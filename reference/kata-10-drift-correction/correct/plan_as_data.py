"""Makes a list of steps first, then carries it out."""

import copy

from kubekata import ApiError, MachineNotFound, NotFound, RackError, RackNode, Result

AGAIN = Result(requeue_after=15)


def plan(machine, spec):
    steps, power = [], machine.power_state
    if machine.firmware != spec.desired_firmware:
        if power != "Off":
            steps.append(("power_off",))
        steps.append(("flash", spec.desired_firmware))
        power = "Off"
    if power != spec.power:
        steps.append(("power_on",) if spec.power == "On" else ("power_off",))
    return steps


def carry_out(rack, name, steps):
    for method, *arguments in steps:
        getattr(rack, method)(name, *arguments)


def reconcile(client, rack, request):
    try:
        node = client.get(RackNode, request.name, request.namespace)
    except NotFound:
        return Result()
    except ApiError:
        return AGAIN
    if node.metadata.deletion_timestamp:
        return Result()

    old = copy.deepcopy(node)
    node.status.observed_generation = node.metadata.generation
    try:
        machine = rack.machine(node.name)
        steps = plan(machine, node.spec)
        if steps:
            try:
                carry_out(rack, node.name, steps)
            except RackError:
                pass
            machine = rack.machine(node.name)
            steps = plan(machine, node.spec)
        node.status.firmware, node.status.power_state = machine.firmware, machine.power_state
        node.status.phase = "Updating" if steps else "Ready"
    except MachineNotFound:
        node.status.firmware, node.status.power_state, node.status.phase = "", "", "Missing"
    except RackError:
        return AGAIN

    if node != old:
        try:
            client.update_status(node)
        except NotFound:
            return Result()
        except ApiError:
            return AGAIN
    return Result() if node.status.phase == "Ready" else AGAIN
