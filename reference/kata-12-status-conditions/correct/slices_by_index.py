"""Works with the position of the type and slices around it; other parameter names."""

import msgspec


def _types(conds):
    return [c.type for c in conds]


def set_condition(existing, cond, timestamp):
    try:
        i = _types(existing).index(cond.type)
    except ValueError:
        i = len(existing)
    old = existing[i : i + 1]
    times = [c.last_transition_time for c in old if c.status == cond.status]
    times += [t for t in (cond.last_transition_time, timestamp) if t is not None]
    fresh = msgspec.structs.replace(cond, last_transition_time=times[0])
    return existing[:i] + [fresh] + existing[i + 1 :]


def remove_condition(existing, name):
    if name not in _types(existing):
        return existing
    i = _types(existing).index(name)
    return existing[:i] + existing[i + 1 :]


def find_condition(existing, name):
    return existing[_types(existing).index(name)] if name in _types(existing) else None


def is_condition(existing, name, value):
    return (name, value) in [(c.type, c.status) for c in existing]
