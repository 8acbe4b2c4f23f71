"""One long function and no cleverness."""

import re

from kubekata import Conflict, NotFound, ObjectMeta, Pod, ReplicaSet, Result, ServerTimeout, TooManyRequests


def reconcile(client, request):
    try:
        try:
            rs = client.get(ReplicaSet, request.name, request.namespace)
        except NotFound:
            return Result()

        counted = []
        for pod in client.list(Pod, namespace=request.namespace):
            if pod.status.phase == "Failed" or pod.status.phase == "Succeeded":
                continue
            if pod.metadata.deletion_timestamp is not None:
                continue
            controller = None
            for ref in pod.metadata.owner_references:
                if ref.controller:
                    controller = ref
            matching = rs.spec.selector.matches(pod.metadata.labels)
            if controller is None:
                if matching and rs.metadata.deletion_timestamp is None:
                    pod.metadata.owner_references.append(rs.owner_reference())
                    try:
                        counted.append(client.update(pod))
                    except NotFound:
                        continue
            elif controller.uid == rs.uid:
                if matching:
                    counted.append(pod)
                elif rs.metadata.deletion_timestamp is None:
                    pod.metadata.owner_references.remove(controller)
                    try:
                        client.update(pod)
                    except NotFound:
                        continue

        if rs.metadata.deletion_timestamp is None:
            while len(counted) < rs.spec.replicas:
                new = Pod()
                new.metadata.generate_name = rs.name + "-"
                new.metadata.namespace = request.namespace
                new.metadata.labels = rs.spec.template.metadata.labels
                new.metadata.owner_references = [rs.owner_reference()]
                new.spec = rs.spec.template.spec
                counted.append(client.create(new))
            now = client.now()
            crowd = {}
            for pod in counted:
                crowd[pod.spec.node_name] = crowd.get(pod.spec.node_name, 0) + 1
            number_to_delete = len(counted) - rs.spec.replicas
            for _ in range(number_to_delete):
                worst = counted[0]
                for pod in counted[1:]:
                    if goes_before(pod, worst, crowd, now):
                        worst = pod
                try:
                    client.delete(worst)
                except NotFound:
                    pass
                counted.remove(worst)

        ready = 0
        for pod in counted:
            if pod.ready:
                ready += 1
        if rs.status.replicas != len(counted) or rs.status.ready_replicas != ready:
            rs.status.replicas = len(counted)
            rs.status.ready_replicas = ready
            try:
                client.update_status(rs)
            except NotFound:
                return Result()
        return Result()
    except (TooManyRequests, ServerTimeout, Conflict) as error:
        if error.retry_after is not None and error.retry_after > 0:
            return Result(requeue_after=error.retry_after)
        return Result(requeue_after=10)


def goes_before(a, b, crowd, now):
    if (a.spec.node_name == "") != (b.spec.node_name == ""):
        return a.spec.node_name == ""
    phases = ["Pending", "Unknown", "Running"]
    if a.status.phase != b.status.phase:
        return phases.index(a.status.phase) < phases.index(b.status.phase)
    if a.ready != b.ready:
        return b.ready
    if cost(a) != cost(b):
        return cost(a) < cost(b)
    if crowd[a.spec.node_name] != crowd[b.spec.node_name]:
        return crowd[a.spec.node_name] > crowd[b.spec.node_name]
    if a.ready:
        ra = rb = None
        for c in a.status.conditions:
            if c.type == "Ready":
                ra = c.last_transition_time
        for c in b.status.conditions:
            if c.type == "Ready":
                rb = c.last_transition_time
        if ra != rb:
            return younger(ra, rb, a, b, now)
    sa = max([0] + [c.restart_count for c in a.status.container_statuses])
    sb = max([0] + [c.restart_count for c in b.status.container_statuses])
    if sa != sb:
        return sa > sb
    if a.metadata.creation_timestamp != b.metadata.creation_timestamp:
        return younger(a.metadata.creation_timestamp, b.metadata.creation_timestamp, a, b, now)
    return False


def younger(ta, tb, a, b, now):
    if ta is None or tb is None:
        return ta is None
    na = nanos(now - ta)
    nb = nanos(now - tb)
    if na.bit_length() != nb.bit_length():
        return na.bit_length() < nb.bit_length()
    return a.uid < b.uid


def nanos(age):
    n = (age.days * 86400 + age.seconds) * 10**9 + age.microseconds * 1000
    return n if n > 0 else 0


def cost(pod):
    text = pod.metadata.annotations.get("controller.kubernetes.io/pod-deletion-cost", "0")
    if text == "0":
        return 0
    if re.match(r"^-?[1-9][0-9]{0,9}\Z", text) is None:
        return 0
    value = int(text)
    if value > 2147483647 or value < -2147483648:
        return 0
    return value
