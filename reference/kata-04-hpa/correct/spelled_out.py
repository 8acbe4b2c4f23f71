"""Every case by itself, rounding by divmod."""

import logging

log = logging.getLogger("hpa")


def desired_replicas(current, value, target, *, min_replicas, max_replicas, tolerance=0.1) -> int:
    if target == 0:
        raise ValueError("the target is zero")
    if target < 0:
        raise ValueError("the target is negative")
    if min_replicas > max_replicas:
        raise ValueError("the limits are crossed")

    if current == 0:
        log.info("switched off")
        return 0

    ratio = value / target
    too_busy = ratio > 1 + tolerance
    too_idle = ratio < 1 - tolerance

    if too_busy or too_idle:
        whole, part = divmod(ratio * current, 1)
        wanted = int(whole)
        if part > 0:
            wanted = wanted + 1
    else:
        wanted = current

    if wanted > max_replicas:
        log.info("limited by the maximum")
        wanted = max_replicas
    if wanted < min_replicas:
        log.info("limited by the minimum")
        wanted = min_replicas
    return wanted
