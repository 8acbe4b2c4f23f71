"""Step by step, with prints that help while writing it."""

from kubekata import Placement


def tolerates(toleration, taint):
    print("compare", toleration, "with", taint)
    effect_is_fine = False
    if toleration.effect == "":
        effect_is_fine = True
    if toleration.effect == taint.effect:
        effect_is_fine = True
    key_is_fine = False
    if toleration.key == "":
        key_is_fine = True
    if toleration.key == taint.key:
        key_is_fine = True
    value_is_fine = False
    if toleration.operator == "Exists":
        value_is_fine = True
    if toleration.operator == "Equal":
        value_is_fine = toleration.value == taint.value
    if toleration.operator == "":
        value_is_fine = toleration.value == taint.value
    return effect_is_fine and key_is_fine and value_is_fine


def schedule(pod, nodes):
    answer = None
    answer_points = 10**9
    number_tainted = 0
    number_selector = 0
    for node in nodes:
        closed = False
        points = 0
        for taint in node.spec.taints:
            found = False
            for toleration in pod.spec.tolerations:
                if tolerates(toleration, taint):
                    found = True
            if not found:
                if taint.effect == "PreferNoSchedule":
                    points = points + 1
                else:
                    closed = True
        if closed:
            number_tainted = number_tainted + 1
            continue
        selector_fits = True
        for key, value in pod.spec.node_selector.items():
            if key not in node.metadata.labels:
                selector_fits = False
            elif node.metadata.labels[key] != value:
                selector_fits = False
        if not selector_fits:
            number_selector = number_selector + 1
            continue
        if points < answer_points:
            answer = node.metadata.name
            answer_points = points
        elif points == answer_points and node.metadata.name < answer:
            answer = node.metadata.name
    if answer is not None:
        return Placement(answer)
    if len(nodes) == 0:
        return Placement(None, "no nodes available to schedule pods")
    texts = []
    if number_tainted > 0:
        texts.append(str(number_tainted) + " node(s) had untolerated taint(s)")
    if number_selector > 0:
        texts.append(str(number_selector) + " node(s) didn't match Pod's node affinity/selector")
    texts.sort()
    return Placement(None, "0/" + str(len(nodes)) + " nodes are available: " + ", ".join(texts) + ".")
