"""An autoscaler object with two simulations."""

from datetime import timedelta

from kubekata import ScaleDown, ScaleUp, milli, whole
from kubekata.cluster.fit import fits, requests_of

GROUP_LABEL = "autoscaler.example.com/group"


class Simulation:
    """Nodes with pods on them; pods can be scheduled."""

    def __init__(self):
        self.nodes = []
        self.pods = []

    def add(self, node, pods=()):
        self.nodes.append(node)
        self.pods.append(list(pods))

    def schedule(self, pod):
        for index in range(len(self.nodes)):
            if fits(pod, self.nodes[index], self.pods[index]):
                self.pods[index].append(pod)
                return index
        return None


class Autoscaler:
    threshold = 0.5
    patience = timedelta(minutes=10)

    def __init__(self, cluster):
        self.cluster = cluster
        self.groups = {group.name: group for group in cluster.groups}

    # what is there

    def load(self, node):
        result = []
        for pod in self.cluster.pods:
            if pod.status.phase == "Succeeded" or pod.status.phase == "Failed":
                continue
            if pod.spec.node_name == node.metadata.name:
                result.append(pod)
        return result

    def members(self, group):
        mine = [node for node in self.cluster.nodes if node.metadata.labels.get(GROUP_LABEL) == group.name]
        return [node for node in mine if not node.spec.unschedulable]

    def size(self, group):
        return len(self.members(group)) + group.upcoming

    def today(self, without=None):
        simulation = Simulation()
        for node in sorted(self.cluster.nodes, key=lambda node: node.metadata.name):
            if node is not without and node.ready and not node.spec.unschedulable:
                simulation.add(node, self.load(node))
        return simulation

    # up

    def up(self):
        soon = self.today()
        for name in sorted(self.groups):
            for _ in range(self.groups[name].upcoming):
                soon.add(self.groups[name].template)
        homeless = [
            pod
            for pod in self.cluster.pods
            if not pod.spec.node_name and pod.active and soon.schedule(pod) is None
        ]
        refused = {}
        for pod in homeless:
            reason = self.reason(pod)
            if reason:
                refused[pod.metadata.name] = reason
        best, best_waste, best_number = None, None, 0
        for name in sorted(self.groups):
            new = self.extend(self.groups[name], homeless)
            if not new.nodes:
                continue
            waste = self.waste(new)
            if best is None or waste < best_waste:
                best, best_waste, best_number = name, waste, len(new.nodes)
        return ScaleUp(group=best, nodes=best_number, refused=refused)

    def reason(self, pod):
        may = [group for group in self.groups.values() if fits(pod, group.template, [])]
        if len(may) == 0:
            return "fits no group"
        if min(self.size(group) - group.max_size for group in may) >= 0:
            return "max size reached"
        return ""

    def extend(self, group, pods):
        new = Simulation()
        for pod in pods:
            if new.schedule(pod) is not None:
                continue
            full = self.size(group) + len(new.nodes) >= group.max_size
            if not full and fits(pod, group.template, []):
                new.add(group.template, [pod])
        return new

    def waste(self, new):
        unused = []
        for read, index in ((milli, 0), (whole, 1)):
            key = ("cpu", "memory")[index]
            total = sum(read(node.status.allocatable[key]) for node in new.nodes)
            asked = sum(requests_of(pod)[index] for pods in new.pods for pod in pods)
            unused.append((total - asked) / total)
        return sum(unused)

    # down

    def down(self):
        idle = [node for node in self.cluster.nodes if self.idle(node)]
        since = {}
        for node in idle:
            since[node.name] = self.cluster.now
            if node.name in self.cluster.unneeded_since:
                since[node.name] = self.cluster.unneeded_since[node.name]
        victims = [node for node in idle if self.cluster.now - since[node.name] >= self.patience]
        victims = [node for node in victims if self.may_shrink(node)]
        last = self.cluster.last_scale_up
        if last and self.cluster.now - last < self.patience:
            victims = []
        victims.sort(key=lambda node: node.name)
        victims.sort(key=self.used)
        return ScaleDown(remove=victims[0].name if victims else None, unneeded_since=since)

    def may_shrink(self, node):
        group = self.groups[node.metadata.labels[GROUP_LABEL]]
        return self.size(group) - 1 >= group.min_size

    def used(self, node):
        pods = self.load(node)
        cpu = sum(requests_of(pod)[0] for pod in pods) / milli(node.status.allocatable["cpu"])
        memory = sum(requests_of(pod)[1] for pod in pods) / whole(node.status.allocatable["memory"])
        return cpu if cpu > memory else memory

    def idle(self, node):
        label = node.metadata.labels.get(GROUP_LABEL)
        if label not in self.groups or node not in self.members(self.groups[label]) or not node.ready:
            return False
        if not self.used(node) < self.threshold:
            return False
        movers = []
        for pod in self.load(node):
            controller = pod.metadata.controller
            if pod.metadata.deletion_timestamp or (controller and controller.kind == "DaemonSet"):
                continue
            keep = pod.metadata.annotations.get("cluster-autoscaler.kubernetes.io/safe-to-evict")
            if not controller or keep == "false":
                return False
            movers.append(pod)
        for budget in self.cluster.budgets:
            if not self.budget_spares(budget, movers):
                return False
        elsewhere = self.today(without=node)
        return None not in [elsewhere.schedule(pod) for pod in movers]

    @staticmethod
    def budget_spares(budget, pods):
        covered = 0
        for pod in pods:
            if pod.metadata.namespace != budget.metadata.namespace or budget.spec.selector is None:
                continue
            covered += bool(budget.spec.selector.matches(pod.metadata.labels))
        return covered <= budget.status.disruptions_allowed


def scale_up(cluster):
    return Autoscaler(cluster).up()


def scale_down(cluster):
    return Autoscaler(cluster).down()
