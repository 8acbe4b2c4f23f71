"""Selectors evaluated by hand, everything spelled out."""

from kubekata import Placement


def selector_matches(selector, labels):
    if selector is None:
        return False
    for key, value in selector.match_labels.items():
        if key not in labels:
            return False
        if labels[key] != value:
            return False
    for e in selector.match_expressions:
        if e.operator == "In":
            if labels.get(e.key) not in e.values:
                return False
        elif e.operator == "NotIn":
            if e.key in labels and labels[e.key] in e.values:
                return False
        elif e.operator == "Exists":
            if e.key not in labels:
                return False
        elif e.operator == "DoesNotExist":
            if e.key in labels:
                return False
        else:
            raise ValueError(e.operator)
    return True


def term_matches(term, owner_namespace, pod):
    namespaces = list(term.namespaces)
    if len(namespaces) == 0:
        namespaces.append(owner_namespace)
    if pod.metadata.namespace not in namespaces:
        return False
    return selector_matches(term.label_selector, pod.metadata.labels)


def anti(pod):
    if pod.spec.affinity is None:
        return None
    return pod.spec.affinity.pod_anti_affinity


def same_domain(key, left, right):
    if key not in left.metadata.labels:
        return False
    if key not in right.metadata.labels:
        return False
    return left.metadata.labels[key] == right.metadata.labels[key]


def schedule(pod, nodes, pods):
    if not nodes:
        return Placement(None, "no nodes available to schedule pods")
    own_count = 0
    their_count = 0
    best_node = None
    best_points = 0
    for node in nodes:
        own = False
        their = False
        points = 0
        for home in nodes:
            for other in pods:
                if other.spec.node_name != home.name:
                    continue
                if other.status.phase == "Succeeded" or other.status.phase == "Failed":
                    continue
                if anti(pod) is not None:
                    for t in anti(pod).required_during_scheduling_ignored_during_execution:
                        if same_domain(t.topology_key, node, home):
                            if term_matches(t, pod.metadata.namespace, other):
                                own = True
                    for w in anti(pod).preferred_during_scheduling_ignored_during_execution:
                        t = w.pod_affinity_term
                        if same_domain(t.topology_key, node, home):
                            if term_matches(t, pod.metadata.namespace, other):
                                points = points + w.weight
                if anti(other) is not None:
                    for t in anti(other).required_during_scheduling_ignored_during_execution:
                        if same_domain(t.topology_key, node, home):
                            if term_matches(t, other.metadata.namespace, pod):
                                their = True
                    for w in anti(other).preferred_during_scheduling_ignored_during_execution:
                        t = w.pod_affinity_term
                        if same_domain(t.topology_key, node, home):
                            if term_matches(t, other.metadata.namespace, pod):
                                points = points + w.weight
        if own:
            own_count = own_count + 1
        elif their:
            their_count = their_count + 1
        else:
            better = best_node is None or points < best_points
            if not better and points == best_points and node.name < best_node.name:
                better = True
            if better:
                best_node = node
                best_points = points
    if best_node is not None:
        return Placement(best_node.name)
    entries = []
    if their_count > 0:
        entries.append(str(their_count) + " node(s) didn't satisfy existing pods anti-affinity rules")
    if own_count > 0:
        entries.append(str(own_count) + " node(s) didn't match pod anti-affinity rules")
    entries.sort()
    return Placement(None, "0/" + str(len(nodes)) + " nodes are available: " + ", ".join(entries) + ".")
