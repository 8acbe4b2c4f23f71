"""Kata 15: Pod anti-affinity. The brief is README.md beside this file."""

from kubekata import Node, Placement, Pod, PodAffinityTerm, WeightedPodAffinityTerm


def schedule(pod: Pod, nodes: list[Node], pods: list[Pod]) -> Placement:
    """Say which node the pod goes to, by anti-affinity alone.

    pod: a pod without a node.
    nodes: all nodes of the cluster, in no particular order.
    pods: all other pods of the cluster, with a node or without.

    A pod's rules, unless `affinity` or `pod_anti_affinity` is None:
        pod.spec.affinity.pod_anti_affinity.required_during_scheduling_ignored_during_execution,
            a list of PodAffinityTerm(topology_key, label_selector, namespaces);
        pod.spec.affinity.pod_anti_affinity.preferred_during_scheduling_ignored_during_execution,
            a list of WeightedPodAffinityTerm(weight, pod_affinity_term).

    Returns Placement(name of the node), or Placement(None, message) if the pod stays Pending.
    """
    raise NotImplementedError
