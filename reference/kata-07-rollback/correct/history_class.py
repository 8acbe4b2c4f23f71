"""A class that reads the history once."""

from copy import deepcopy
from uuid import uuid4

from kubekata import *

PREFIX = "deployment.kubernetes.io/"


class History:
    def __init__(self, client, request):
        self.client = client
        self.deployment = client.get(Deployment, request.name, request.namespace)
        everything = client.list(ReplicaSet, namespace=request.namespace)
        mine = [
            rs for rs in everything if any(r.uid == self.deployment.uid for r in rs.metadata.owner_references)
        ]
        self.sets = sorted(mine, key=lambda rs: rs.name)
        self.sets.sort(key=lambda rs: rs.metadata.creation_timestamp)

    @staticmethod
    def key(template):
        return [
            template.spec,
            template.metadata.annotations,
            {k: v for k, v in template.metadata.labels.items() if k != "pod-template-hash"},
            template.metadata.name,
        ]

    @staticmethod
    def number(rs):
        text = rs.metadata.annotations.get(PREFIX + "revision")
        if text is None:
            return 0
        return int(text) if text.isdecimal() else None

    @property
    def current(self):
        wanted = self.key(self.deployment.spec.template)
        same = [rs for rs in self.sets if self.key(rs.spec.template) == wanted]
        return same[0] if same else None

    @property
    def old(self):
        current = self.current
        return [rs for rs in self.sets if rs is not current]

    def numbered(self):
        return {self.number(rs): rs for rs in self.sets if self.number(rs) is not None}

    def next_number(self):
        return 1 + max([0] + [self.number(rs) or 0 for rs in self.old])


def record_revision(client, request):
    history = History(client, request)
    number, rs = history.next_number(), history.current
    if rs is None:
        # Any name will do; and so will any value that nobody else has.
        mark = uuid4().hex[:8]
        template = deepcopy(history.deployment.spec.template)
        template.metadata.labels["pod-template-hash"] = mark
        selector = LabelSelector(
            match_labels={**history.deployment.spec.selector.match_labels, "pod-template-hash": mark}
        )
        meta = ObjectMeta(
            generate_name=request.name + "-", namespace=request.namespace, labels=template.metadata.labels
        )
        meta.owner_references = [history.deployment.owner_reference()]
        meta.annotations[PREFIX + "revision"] = str(number)
        client.create(
            ReplicaSet(metadata=meta, spec=ReplicaSetSpec(replicas=0, selector=selector, template=template))
        )
    elif history.number(rs) is None or history.number(rs) < number:
        notes = rs.metadata.annotations
        if history.number(rs) is not None and PREFIX + "revision" in notes:
            former = notes[PREFIX + "revision"]
            notes[PREFIX + "revision-history"] = ",".join(
                notes.get(PREFIX + "revision-history", "").split(",") + [former]
            ).lstrip(",")
        notes[PREFIX + "revision"] = str(number)
        client.update(rs)
    else:
        number = history.number(rs)
    shown = history.deployment.metadata.annotations
    if shown.get(PREFIX + "revision") != str(number):
        shown[PREFIX + "revision"] = str(number)
        client.update(history.deployment)
    return number


def rollback(client, request, to_revision=0):
    history = History(client, request)
    numbered = history.numbered()
    ranking = sorted(numbered, reverse=True)
    try:
        target = numbered[to_revision] if to_revision else numbered[ranking[1]]
    except (KeyError, IndexError):
        raise RevisionNotFoundError("revisions: " + " ".join(map(str, ranking))) from None
    if history.deployment.spec.paused:
        raise DeploymentPausedError
    if target is history.current:
        return record_revision(client, request)
    template = deepcopy(target.spec.template)
    template.metadata.labels = {k: v for k, v in template.metadata.labels.items() if k != "pod-template-hash"}
    history.deployment.spec.template = template
    client.update(history.deployment)
    return record_revision(client, request)


def prune_history(client, request):
    history = History(client, request)
    d = history.deployment
    s = d.status
    done = s.updated_replicas == s.replicas == s.available_replicas == d.spec.replicas
    if d.spec.paused or (done and s.observed_generation >= d.metadata.generation):
        candidates = [rs for rs in history.old if not rs.metadata.deletion_timestamp]
        candidates.sort(key=lambda rs: history.number(rs) or 0)
        keep = min(d.spec.revision_history_limit, len(candidates))
        for rs in candidates[: len(candidates) - keep]:
            if (
                not (rs.spec.replicas or rs.status.replicas)
                and rs.status.observed_generation >= rs.metadata.generation
            ):
                try:
                    client.delete(ReplicaSet, rs.name, rs.namespace)
                except NotFound:
                    continue
