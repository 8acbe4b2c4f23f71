"""Comprehensions and small functions over plain tuples."""

from copy import deepcopy
from itertools import count

from kubekata import *

REV, HASH = "deployment.kubernetes.io/revision", "pod-template-hash"
key_of_age = lambda rs: (rs.metadata.creation_timestamp, rs.metadata.name)
rev_text = lambda rs: rs.metadata.annotations.get(REV, "0")
valid = lambda rs: rev_text(rs).isdecimal()
rev = lambda rs: int(rev_text(rs)) if valid(rs) else 0


def unhashed(t):
    t = deepcopy(t)
    t.metadata.labels = dict(filter(lambda item: item[0] != HASH, t.metadata.labels.items()))
    return t


def snapshot(client, request):
    d = client.get(Deployment, request.name, namespace=request.namespace)
    owned = sorted(client.list(ReplicaSet, owner=d, namespace=request.namespace), key=key_of_age)
    matching = [rs for rs in owned if unhashed(rs.spec.template) == unhashed(d.spec.template)]
    return d, matching[:1], [rs for rs in owned if rs not in matching[:1]]


def fresh_value(sets):
    taken = {rs.spec.template.metadata.labels.get(HASH) for rs in sets} | {rs.name for rs in sets}
    return next(f"v{n}" for n in count(len(sets) + 1000) if f"v{n}" not in taken)


def build(d, number, value):
    labels = {**d.spec.template.metadata.labels, HASH: value}
    template = unhashed(d.spec.template)
    template.metadata.labels = labels
    return ReplicaSet(
        metadata=ObjectMeta(
            generate_name=f"{d.name}-{value}-",
            namespace=d.namespace,
            labels=dict(labels),
            annotations={REV: str(number)},
            owner_references=[d.owner_reference()],
        ),
        spec=ReplicaSetSpec(
            replicas=0,
            template=template,
            selector=LabelSelector(
                match_labels={**d.spec.selector.match_labels, HASH: value},
                match_expressions=d.spec.selector.match_expressions,
            ),
        ),
    )


def record_revision(client, request):
    d, current, old = snapshot(client, request)
    number = max(map(rev, old), default=0) + 1
    match current:
        case []:
            client.create(build(d, number, fresh_value(old)))
        case [rs] if rev(rs) < number:
            former = [rs.metadata.annotations.get(REV + "-history"), rs.metadata.annotations.get(REV)]
            chain = ",".join(text for text in former if text)
            rs.metadata.annotations |= {REV: str(number)} | ({REV + "-history": chain} if chain else {})
            client.update(rs)
        case [rs]:
            number = rev(rs)
    if d.metadata.annotations.get(REV) != str(number):
        d.metadata.annotations |= {REV: str(number)}
        client.update(d)
    return number


def rollback(client, request, to_revision=0):
    d, current, old = snapshot(client, request)
    table = {rev(rs): rs for rs in current + old if valid(rs)}
    descending = sorted(table, reverse=True)
    wanted = to_revision if to_revision else next(iter(descending[1:]), None)
    if wanted not in table:
        raise RevisionNotFoundError(" / ".join(str(n) for n in descending))
    if d.spec.paused:
        raise DeploymentPausedError(f"{request.name} is paused")
    target = unhashed(table[wanted].spec.template)
    if target != unhashed(d.spec.template):
        d.spec.template = target
        client.update(d)
    return record_revision(client, request)


def prune_history(client, request):
    d, current, old = snapshot(client, request)
    complete = d.status.observed_generation >= d.metadata.generation and all(
        n == d.spec.replicas
        for n in (d.status.replicas, d.status.updated_replicas, d.status.available_replicas)
    )
    if complete or d.spec.paused:
        going = sorted([rs for rs in old if rs.metadata.deletion_timestamp is None], key=rev)
        for rs in going[: max(len(going) - d.spec.revision_history_limit, 0)]:
            if (
                rs.spec.replicas + rs.status.replicas == 0
                and rs.metadata.generation <= rs.status.observed_generation
            ):
                remove(client, rs)


def remove(client, rs):
    try:
        client.delete(rs)
    except NotFound:
        return
