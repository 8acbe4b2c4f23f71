"""Reports in a finally block, and leaves retries to the loop around it."""

from kubekata import MachineNotFound, NotFound, RackNode, Result


class Visit:
    def __init__(self, client, rack, node):
        self.client, self.rack, self.node, self.name = client, rack, node, node.name

    def fix(self):
        m, spec = self.rack.machine(self.name), self.node.spec
        if m.firmware != spec.desired_firmware:
            if m.power_state == "On":
                self.rack.power_off(self.name)
            self.rack.flash(self.name, spec.desired_firmware)
            m = self.rack.machine(self.name)
        if m.power_state == "On" and spec.power == "Off":
            self.rack.power_off(self.name)
        elif m.power_state == "Off" and spec.power == "On":
            self.rack.power_on(self.name)

    def tell(self):
        try:
            m = self.rack.machine(self.name)
        except MachineNotFound:
            return self.write("Missing", "", "")
        spec = self.node.spec
        agrees = [m.firmware, m.power_state] == [spec.desired_firmware, spec.power]
        return self.write("Ready" if agrees else "Updating", m.firmware, m.power_state)

    def write(self, *words):
        status = self.node.status
        now = (*words, self.node.metadata.generation)
        if now != (status.phase, status.firmware, status.power_state, status.observed_generation):
            status.phase, status.firmware, status.power_state, status.observed_generation = now
            self.client.update_status(self.node)
        return words[0]


def reconcile(client, rack, request):
    try:
        node = client.get(RackNode, request.name, request.namespace)
    except NotFound:
        return Result()
    if node.metadata.deletion_timestamp is not None:
        return Result()
    visit = Visit(client, rack, node)
    phase = ""
    try:
        try:
            visit.fix()
        except MachineNotFound:
            pass
        finally:
            phase = visit.tell()
    except NotFound:
        return Result()
    return Result(requeue_after=None if phase == "Ready" else 9)
