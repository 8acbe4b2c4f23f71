"""kubekata: graded katas about the control loops inside Kubernetes."""

from kubekata.cluster.values import ReplicaCount, Rollout, Step

__all__ = ["ReplicaCount", "Rollout", "Step"]
