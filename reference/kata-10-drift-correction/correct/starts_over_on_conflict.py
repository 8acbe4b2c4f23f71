"""On a Conflict it starts over from the first read, looks included."""

from kubekata import Conflict, MachineNotFound, NotFound, RackError, RackNode, Result, ServerTimeout, TooManyRequests


def reconcile(client, rack, request):
    for _ in range(5):
        try:
            return once(client, rack, request)
        except Conflict:
            continue
        except (ServerTimeout, TooManyRequests):
            break
    return Result(requeue_after=30)


def once(client, rack, request):
    try:
        node = client.get(RackNode, request.name, request.namespace)
        if node.metadata.deleting:
            return Result()
        spec = node.spec
        error = None
        try:
            while True:
                machine = rack.machine(request.name)
                same = machine.firmware == spec.desired_firmware
                if same and machine.power_state == spec.power:
                    break
                if not same and machine.power_state == "Off":
                    rack.flash(request.name, spec.desired_firmware)
                elif machine.power_state == "On":
                    rack.power_off(request.name)
                else:
                    rack.power_on(request.name)
        except MachineNotFound:
            machine = None
        except RackError as problem:
            error = problem
            try:
                machine = rack.machine(request.name)
            except MachineNotFound:
                machine = None
            except RackError:
                return Result(requeue_after=4)
        was = node.status.phase, node.status.firmware, node.status.power_state, node.status.observed_generation
        if machine is None:
            tells = ("Missing", "", "", node.metadata.generation)
        else:
            ready = (machine.firmware, machine.power_state) == (spec.desired_firmware, spec.power)
            phase = "Ready" if ready else "Updating"
            tells = (phase, machine.firmware, machine.power_state, node.metadata.generation)
        if was != tells:
            node.status.phase, node.status.firmware, node.status.power_state, node.status.observed_generation = tells
            client.update_status(node)
        if tells[0] != "Ready" or error:
            return Result(requeue_after=4)
        return Result()
    except NotFound:
        return Result()
