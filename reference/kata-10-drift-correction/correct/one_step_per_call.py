"""Takes one step per call, reports, and asks for the next call."""

from kubekata import ApiError, MachineNotFound, NotFound, RackError, RackNode, Result


def next_step(machine, spec):
    if machine.firmware == spec.desired_firmware:
        if machine.power_state == spec.power:
            return None
        return "power_on" if spec.power == "On" else "power_off"
    return "flash" if machine.power_state == "Off" else "power_off"


def take(rack, node, step):
    try:
        if step == "flash":
            rack.flash(node.name, node.spec.desired_firmware)
        elif step is not None:
            getattr(rack, step)(node.name)
    except RackError:
        return False
    return True


def look(rack, name):
    try:
        return rack.machine(name)
    except MachineNotFound:
        return None


def reconcile(client, rack, request):
    try:
        node = client.get(RackNode, request.name, request.namespace)
        if node.metadata.deleting:
            return Result()
        machine = look(rack, node.name)
        if machine is not None:
            take(rack, node, next_step(machine, node.spec))
            machine = look(rack, node.name)
        observation = describe(machine, node)
        current = {key: getattr(node.status, key) for key in observation}
        if current != observation:
            for key, value in observation.items():
                setattr(node.status, key, value)
            client.update_status(node)
        if observation["phase"] == "Ready":
            return Result()
        return Result(requeue_after=1 if machine else 60)
    except NotFound:
        return Result()
    except (RackError, ApiError):
        return Result(requeue_after=20)


def describe(machine, node):
    generation = node.metadata.generation
    if machine is None:
        return dict(phase="Missing", firmware="", power_state="", observed_generation=generation)
    phase = "Updating" if next_step(machine, node.spec) else "Ready"
    return dict(
        phase=phase,
        firmware=machine.firmware,
        power_state=machine.power_state,
        observed_generation=generation,
    )
