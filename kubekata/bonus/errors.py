"""Why a bonus round could not be graded."""


class BackendError(Exception):
    """The cluster to grade on cannot be used, or went away; one line with what to do about it."""


class UnknownBackend(BackendError):
    """What was asked for does not exist: a wrong context, for example."""
