"""The parts of a control plane that move the world when the clock moves."""

from kubekata.cluster.actors.base import Actor

__all__ = ["Actor"]
