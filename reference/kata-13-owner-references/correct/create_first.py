"""Creates without asking where it may, and looks at what is there when the name turns out to be taken."""

from collections import Counter, defaultdict
from functools import partial

from kubekata import *

TRIES = 3


def reconcile(client, request):
    pause = 1.0
    for _ in range(TRIES):
        try:
            return once(client, request)
        except (AlreadyExists, Conflict) as e:
            pause = max(pause, e.retry_after or 0)
        except (ServerTimeout, TooManyRequests) as e:
            return Result(requeue_after=max(pause, e.retry_after or 0))
        except NotFound:
            return Result()
    return Result(requeue_after=pause)


def once(client, request):
    node = client.get(RackNode, request.name, request.namespace)
    gen, st = node.metadata.generation, node.status
    if node.metadata.deleting or (st.phase, st.observed_generation) in (("Ready", gen), ("Failed", gen)):
        return Result()
    name = "-".join([node.name, "flash", str(gen)])
    ours = lambda job: job.metadata.controller is not None and job.metadata.controller.uid == node.uid
    at_work = [j for j in client.list(Job, namespace=node.namespace) if ours(j) and not verdict(j) and j.name != name]
    for j in at_work:
        if not j.metadata.deleting:
            ignore_missing(partial(client.delete, j, propagation_policy="Foreground"))
    if at_work:
        return Result(requeue_after=2)

    job = ignore_missing(partial(client.get, Job, name, node.namespace)) or client.create(build(node, name))
    boss = job.metadata.controller
    phase, again = verdict(job) or "Flashing", None
    if boss and boss.uid != node.uid:
        phase, again = "Blocked", 4
    elif job.metadata.deleting:
        return Result(requeue_after=4)
    elif not boss:
        job.metadata.owner_references = [*job.metadata.owner_references, node.owner_reference()]
        client.update(job)
    firmware = {"Ready": node.spec.desired_firmware}.get(phase, st.firmware)
    if [phase, firmware, gen] != [st.phase, st.firmware, st.observed_generation]:
        st.phase, st.firmware, st.observed_generation = phase, firmware, gen
        client.update_status(node)
    return Result(again)


def ignore_missing(call):
    try:
        return call()
    except NotFound:
        return None


def verdict(job):
    true = {c.type for c in job.status.conditions if c.status == "True"}
    return ("Complete" in true and "Ready") or ("Failed" in true and "Failed") or ""


def build(node, name):
    template = PodTemplateSpec(
        metadata=ObjectMeta(labels={"job": name}),
        spec=PodSpec(restart_policy="Never", containers=[Container(name="main", image="flasher:" + node.spec.desired_firmware)]),
    )
    meta = ObjectMeta(name=name, namespace=node.namespace, owner_references=[node.owner_reference()])
    return Job(metadata=meta, spec=JobSpec(template=template, completions=1, parallelism=1))


def collect_garbage(objects):
    home = {o.metadata.uid: o for o in objects}
    words = {o.metadata.uid: [word(r, o, home) for r in o.metadata.owner_references] for o in objects}
    tally = {uid: Counter(found) for uid, found in words.items()}
    refs = defaultdict(list)
    for o in objects:
        for r, w in zip(o.metadata.owner_references, words[o.uid]):
            if w in "pw":
                refs[r.uid].append((o.uid, r.block_owner_deletion is True))

    def judge(o):
        own, going = hold(o), o.metadata.deleting
        if going and own == "Orphan":
            return "finish", own
        if going and own == "Foreground":
            stuck = [uid for uid, block in refs[o.uid] if block and tally[uid]["p"] == 0]
            return None if stuck else ("finish", own)
        count = tally[o.uid]
        if going or not count or count["p"] or count["?"]:
            return None
        return "delete", "Foreground" if count["w"] and refs[o.uid] else own

    return [Deletion(o.kind, o.namespace, o.name, *verdict) for o in objects if (verdict := judge(o))]


def word(ref, obj, home):
    """a: absent, p: present, w: waiting, ?: cannot be looked up."""
    owner = home.get(ref.uid)
    if owner is None:
        return "a"
    match owner.namespace, obj.namespace:
        case "", _:
            pass
        case _, "":
            return "?"
        case there, here if there != here:
            return "a"
    return "w" if owner.metadata.deleting and hold(owner) == "Foreground" else "p"


def hold(obj):
    marks = set(obj.metadata.finalizers)
    return "Orphan" if "orphan" in marks else "Foreground" if "foregroundDeletion" in marks else "Background"
