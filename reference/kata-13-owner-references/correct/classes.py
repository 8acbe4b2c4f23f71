"""Objects that know their neighbours, and a reconciler with one method per rule."""

from dataclasses import dataclass, field

from kubekata import *


class Later(Exception):
    def __init__(self, seconds=2):
        self.seconds = seconds


class Flasher:
    def __init__(self, client, node):
        self.client, self.node = client, node
        self.jobs = {job.name: job for job in client.list(Job, namespace=node.namespace)}

    @property
    def wanted(self):
        return f"{self.node.name}-flash-{self.node.metadata.generation}"

    def mine(self, job):
        return any(ref.controller and ref.uid == self.node.uid for ref in job.metadata.owner_references)

    def end(self, job):
        types = [c.type for c in job.status.conditions if c.status == "True"]
        return {"Complete": "Ready", "Failed": "Failed"}.get(next((t for t in types if t in ("Complete", "Failed")), ""))

    def stop_predecessors(self):
        busy = [j for j in self.jobs.values() if self.mine(j) and j.name != self.wanted and self.end(j) is None]
        for job in busy:
            if job.metadata.deletion_timestamp is None:
                try:
                    self.client.delete(Job, job.name, job.namespace, propagation_policy="Foreground")
                except NotFound:
                    pass
        if busy:
            raise Later

    def obtain(self):
        job = self.jobs.get(self.wanted)
        if job is None:
            return self.client.create(self.blueprint())
        foreign = any(ref.controller for ref in job.metadata.owner_references) and not self.mine(job)
        if foreign:
            self.tell("Blocked")
            raise Later
        if job.metadata.deletion_timestamp is not None:
            raise Later
        if not self.mine(job):
            job.metadata.owner_references.insert(0, self.node.owner_reference())
            job = self.client.update(job)
        return job

    def blueprint(self):
        job = Job()
        job.metadata = ObjectMeta(name=self.wanted, namespace=self.node.namespace, labels={"rack": self.node.name})
        job.metadata.owner_references = [self.node.owner_reference()]
        job.spec.template.spec.restart_policy = "Never"
        job.spec.template.spec.containers = [Container(name="c", image=f"flasher:{self.node.spec.desired_firmware}")]
        return job

    def tell(self, phase):
        now = {"phase": phase, "observed_generation": self.node.metadata.generation}
        if phase == "Ready":
            now["firmware"] = self.node.spec.desired_firmware
        if any(getattr(self.node.status, key) != value for key, value in now.items()):
            for key, value in now.items():
                setattr(self.node.status, key, value)
            self.client.update_status(self.node)


def reconcile(client, request):
    try:
        node = client.get(RackNode, request.name, request.namespace)
        over = node.status.phase in {"Ready", "Failed"} and node.status.observed_generation == node.metadata.generation
        if over or node.metadata.deletion_timestamp is not None:
            return Result()
        flasher = Flasher(client, node)
        flasher.stop_predecessors()
        job = flasher.obtain()
        flasher.tell(flasher.end(job) or "Flashing")
    except Later as later:
        return Result(requeue_after=later.seconds)
    except NotFound:
        pass
    except (AlreadyExists, Conflict, ServerTimeout, TooManyRequests) as no:
        return Result(requeue_after=no.retry_after or 3)
    return Result()


@dataclass
class Vertex:
    obj: Resource
    present: set = field(default_factory=set)
    waiting: set = field(default_factory=set)
    children: list = field(default_factory=list)
    lost: bool = False

    @property
    def hold(self):
        for name, policy in (("orphan", "Orphan"), ("foregroundDeletion", "Foreground")):
            if name in self.obj.metadata.finalizers:
                return policy
        return "Background"

    @property
    def waits(self):
        return self.obj.metadata.deletion_timestamp is not None and self.hold == "Foreground"

    def say(self, action, policy):
        return Deletion(kind=self.obj.kind, namespace=self.obj.namespace, name=self.obj.name, action=action, policy=policy)


def collect_garbage(objects):
    graph = {o.uid: Vertex(o) for o in objects}
    for v in graph.values():
        for ref in v.obj.metadata.owner_references:
            owner = graph.get(ref.uid)
            if owner is None:
                continue
            if owner.obj.namespace and not v.obj.namespace:
                v.lost = True
            elif owner.obj.namespace in ("", v.obj.namespace):
                (v.waiting if owner.waits else v.present).add(ref.uid)
                owner.children.append((v, bool(ref.block_owner_deletion)))
    steps = []
    for v in graph.values():
        if v.obj.metadata.deletion_timestamp is not None:
            held_up = v.hold == "Foreground" and any(blocks and not child.present for child, blocks in v.children)
            if v.hold != "Background" and not held_up:
                steps.append(v.say("finish", v.hold))
        elif v.obj.metadata.owner_references and not v.present and not v.lost:
            steps.append(v.say("delete", "Foreground" if v.waiting and v.children else v.hold))
    return steps
