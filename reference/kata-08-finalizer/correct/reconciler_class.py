"""An object per call with small methods."""

from kubekata import MachineNotFound, NotFound, RackNode, Result
import kubekata

FINALIZER = "rack.example.com/decommission"
NOT_NOW = (
    kubekata.Conflict,
    kubekata.ServerTimeout,
    kubekata.TooManyRequests,
    kubekata.TransientError,
    kubekata.PermanentError,
    kubekata.MachineNotFound,
)


class Reconciler:
    def __init__(self, client, rack, request):
        self.client, self.rack, self.request = client, rack, request
        self.node = None

    def run(self):
        try:
            self.node = self.client.get(RackNode, self.request.name, self.request.namespace)
            self.finalize() if self.going else self.serve()
        except NotFound:
            pass
        except NOT_NOW as error:
            print(type(error).__name__, error)
            return Result(requeue_after=1)
        return Result(requeue_after=None)

    @property
    def going(self):
        return self.node.metadata.deletion_timestamp is not None

    @property
    def held(self):
        return self.node.metadata.finalizers.count(FINALIZER) > 0

    def serve(self):
        if not self.held:
            self.node.metadata.finalizers.append(FINALIZER)
            self.node = self.client.update(self.node)
        self.switch(self.node.spec.power)

    def switch(self, wanted):
        if self.rack.machine(self.node.name).power_state != wanted:
            getattr(self.rack, f"power_{wanted.lower()}")(self.node.name)

    def finalize(self):
        if self.held:
            self.wipe()
            self.node.metadata.finalizers.remove(FINALIZER)
            self.client.update(self.node)

    def wipe(self):
        try:
            self.rack.decommission(self.node.name)
        except MachineNotFound:
            return


def reconcile(client, rack, request):
    return Reconciler(client, rack, request).run()
