"""Misconception: after the flash the machine gets back the power that it had; switching machines is not our job.

Fails: converge
"""

from kubekata import ApiError, MachineNotFound, NotFound, RackError, RackNode, Result


def reconcile(client, rack, request):
    try:
        node = client.get(RackNode, request.name, request.namespace)
        if node.metadata.deletion_timestamp is not None:
            return Result()
        try:
            drive(rack, node)
        except RackError as error:
            print("stopped:", error)
        return report(client, rack, node)
    except NotFound:
        return Result()
    except (ApiError, RackError):
        return Result(requeue_after=5)


def drive(rack, node):
    machine = rack.machine(node.name)
    power = machine.power_state
    if machine.firmware != node.spec.desired_firmware:
        if power == "On":
            rack.power_off(node.name)
            power = "Off"
        rack.flash(node.name, node.spec.desired_firmware)
    if power != machine.power_state:
        rack.power_on(node.name)


def report(client, rack, node):
    status = node.status
    before = (status.phase, status.firmware, status.power_state, status.observed_generation)
    try:
        machine = rack.machine(node.name)
        status.firmware = machine.firmware
        status.power_state = machine.power_state
        good = machine.firmware == node.spec.desired_firmware and machine.power_state == node.spec.power
        status.phase = "Ready" if good else "Updating"
    except MachineNotFound:
        status.firmware = status.power_state = ""
        status.phase = "Missing"
    status.observed_generation = node.metadata.generation
    if before != (status.phase, status.firmware, status.power_state, status.observed_generation):
        client.update_status(node)
    return Result() if status.phase == "Ready" else Result(requeue_after=5)
