"""Kata 18: Scoring, spread and bin-pack. The brief is README.md beside this file."""

from kubekata import Layout, Node, Pod, ScoringStrategy, milli, whole


def assumed(pod: Pod) -> dict[str, int]:
    """Say what scoring takes a pod to ask for: {"cpu": thousandths of a core, "memory": bytes}."""
    raise NotImplementedError


def score(strategy: ScoringStrategy, capacity: dict[str, int], requested: dict[str, int]) -> int:
    """Score the room on a node, from 0 to 100.

    capacity: what the node has, by resource.
    requested: what is requested of it, with the new pod.
    """
    raise NotImplementedError


def balance(capacity: dict[str, int], used: dict[str, int], pod: dict[str, int]) -> int:
    """Score what a pod does to the balance between a node's resources, from 0 to 100.

    capacity: what the node has, by resource.
    used: what is requested of it, without the pod.
    pod: what the pod asks for.
    """
    raise NotImplementedError


def normalize(counts: list[int], reverse: bool) -> list[int]:
    """Bring counts, none below 0, to scores from 0 to 100; with `reverse` the largest count scores lowest."""
    raise NotImplementedError


def place(pods: list[Pod], nodes: list[Node], strategy: ScoringStrategy) -> Layout:
    """Put the pods one after the other on the nodes, each where its total is highest.

    pods: pods without a node, in the order in which they come.
    nodes: all nodes of the cluster, without any pods, in no particular order.
    """
    raise NotImplementedError
