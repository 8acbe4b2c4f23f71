"""Filter plugins, as the real scheduler has them."""

from kubekata import Placement, milli, whole


class Snapshot:
    def __init__(self, pods):
        self.by_node = {}
        for pod in pods:
            if pod.spec.node_name and pod.status.phase not in ("Succeeded", "Failed"):
                self.by_node.setdefault(pod.spec.node_name, []).append(pod)

    def on(self, node):
        return self.by_node.get(node.name, [])


class PodCount:
    def filter(self, pod, node, snapshot):
        full = len(snapshot.on(node)) == int(node.status.allocatable["pods"])
        over = len(snapshot.on(node)) > int(node.status.allocatable["pods"])
        return "Too many pods" if full or over else None


class Fit:
    def __init__(self, resource, unit):
        self.resource, self.unit = resource, unit

    def request(self, pod):
        values = [self.unit(c.resources.requests.get(self.resource, "0")) for c in pod.spec.containers]
        starts = [self.unit(c.resources.requests.get(self.resource, "0")) for c in pod.spec.init_containers]
        return max([sum(values)] + starts) + self.unit(pod.spec.overhead.get(self.resource, "0"))

    def filter(self, pod, node, snapshot):
        mine = self.request(pod)
        used = sum(self.request(p) for p in snapshot.on(node))
        if mine > 0 and used + mine > self.unit(node.status.allocatable[self.resource]):
            return f"Insufficient {self.resource}"
        return None


PLUGINS = [PodCount(), Fit("cpu", milli), Fit("memory", whole)]


def schedule(pod, nodes, pods):
    snapshot = Snapshot(pods)
    refusals = []
    for name in sorted(n.name for n in nodes):
        node = next(n for n in nodes if n.name == name)
        statuses = [s for s in (plugin.filter(pod, node, snapshot) for plugin in PLUGINS) if s]
        if not statuses:
            return Placement(name)
        refusals.append(statuses)
    if not refusals:
        return Placement(None, "no nodes available to schedule pods")
    histogram = {}
    for statuses in refusals:
        for status in statuses:
            histogram.setdefault(status, []).append(1)
    body = ", ".join(sorted(f"{sum(ones)} {status}" for status, ones in histogram.items()))
    return Placement(None, f"0/{len(refusals)} nodes are available: {body}.")
