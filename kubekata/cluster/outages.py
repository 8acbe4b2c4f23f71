"""Which nodes are down. A node that is down sends no heartbeat, and its kubelet does nothing."""

from __future__ import annotations

from collections.abc import Callable


class Outages:
    """Machines that have stopped, by node name; what the cluster notices of it is up to its controllers."""

    def __init__(self) -> None:
        self._down: dict[str, None] = {}
        self._listeners: list[Callable[[str], None]] = []

    def stop(self, node: str) -> None:
        """Cut a machine off: no heartbeat, no kubelet. Its pods stay in the store as they were."""
        self._down[node] = None

    def resume(self, node: str) -> None:
        """Let a machine come back; its kubelet catches up with what it missed."""
        if self._down.pop(node, self) is None:
            for listener in self._listeners:
                listener(node)

    def __contains__(self, node: str) -> bool:
        return node in self._down

    def on_resume(self, listener: Callable[[str], None]) -> None:
        """Call ``listener`` with the name of every node that comes back."""
        self._listeners.append(listener)
