"""Refusals of the rollback kata."""


class RevisionNotFoundError(LookupError):
    """There is no such revision to go back to; the message names those that there are."""


class DeploymentPausedError(RuntimeError):
    """A paused Deployment is not rolled back; it has to be resumed first."""
