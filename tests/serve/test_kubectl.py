"""kubectl works on the served cluster unchanged: every everyday command, with the real program."""

from __future__ import annotations

import json
import time

import pytest

from tests.serve.conftest import Kubectl

RACK_NODE = """
apiVersion: rack.example.com/v1
kind: RackNode
metadata:
  name: {name}
spec:
  desiredFirmware: {firmware}
"""
DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
spec:
  replicas: 2
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      containers:
      - name: app
        image: app:1
        ports: [{{containerPort: 80}}]
        env: [{{name: A, value: "1"}}, {{name: B, value: "2"}}]
        volumeMounts: [{{name: scratch, mountPath: /scratch}}]
      volumes: [{{name: scratch, emptyDir: {{}}}}]
"""


def rack_node(kubectl: Kubectl, name: str, firmware: str = "2.1.0") -> str:
    return kubectl("apply", "-f", "-", stdin=RACK_NODE.format(name=name, firmware=firmware))


class TestRackNodes:
    """A custom resource, from its definition to its deletion."""

    def test_version_and_resources(self, kubectl: Kubectl) -> None:
        """The server says what it is, and what it serves."""
        assert "Server Version: v1.36.2" in kubectl("version")
        listed = kubectl("api-resources", "--api-group=rack.example.com")
        assert listed.splitlines()[1].split() == [
            "racknodes",
            "rn",
            "rack.example.com/v1",
            "true",
            "RackNode",
        ]

    def test_apply_three_times(self, kubectl: Kubectl) -> None:
        """Created, unchanged, configured."""
        assert "created" in rack_node(kubectl, "applied")
        assert "unchanged" in rack_node(kubectl, "applied")
        assert "configured" in rack_node(kubectl, "applied", "2.2.0")

    def test_get_shows_the_columns(self, kubectl: Kubectl) -> None:
        """PHASE, FIRMWARE and DESIRED, and the wide ones with -o wide."""
        rack_node(kubectl, "columns")
        header, row = kubectl("get", "racknodes", "columns").splitlines()
        assert header.split() == ["NAME", "PHASE", "FIRMWARE", "DESIRED", "AGE"]
        assert row.split()[:2] == ["columns", "2.1.0"]
        assert "POWER" in kubectl("get", "rn", "columns", "-o", "wide")

    def test_get_outputs(self, kubectl: Kubectl) -> None:
        """YAML, JSON, names, JSONPath and selectors."""
        rack_node(kubectl, "outputs")
        kubectl("label", "rn", "outputs", "row=seven")
        assert "desiredFirmware: 2.1.0" in kubectl("get", "rn", "outputs", "-o", "yaml")
        assert json.loads(kubectl("get", "rn", "outputs", "-o", "json"))["spec"]["power"] == "On"
        assert kubectl("get", "rn", "-l", "row=seven", "-o", "name").split() == [
            "racknode.rack.example.com/outputs"
        ]
        assert "No resources found" in kubectl("get", "rn", "-l", "row=eight")
        assert kubectl("get", "rn", "--field-selector=metadata.name=outputs", "-o", "name")

    def test_describe_with_its_events(self, kubectl: Kubectl) -> None:
        """Fields in words, and the events about the object."""
        rack_node(kubectl, "described")
        uid = kubectl("get", "rn", "described", "-o", "jsonpath={.metadata.uid}")
        event = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"generateName": "described-", "namespace": "default"},
            "involvedObject": {"kind": "RackNode", "name": "described", "namespace": "default", "uid": uid},
            "reason": "Flashing",
            "message": "1.0.0 -> 2.1.0",
            "type": "Normal",
            "count": 1,
        }
        kubectl("create", "-f", "-", stdin=json.dumps(event))
        text = kubectl("describe", "rn", "described")
        assert "Desired Firmware:  2.1.0" in text
        assert "Flashing" in text
        assert "Flashing" in kubectl("get", "events")

    def test_explain(self, kubectl: Kubectl) -> None:
        """The schema's fields, with their descriptions and enums."""
        text = kubectl("explain", "racknode.spec")
        assert "desiredFirmware\t<string> -required-" in text
        assert "enum: On, Off" in text
        assert "The firmware version" in text
        assert "containers" in kubectl("explain", "deployment.spec.template.spec")

    @pytest.mark.parametrize(
        ("kind", "patch"),
        [
            ("merge", '{"spec":{"slots":4}}'),
            ("json", '[{"op":"add","path":"/spec/slots","value":4}]'),
        ],
    )
    def test_patch(self, kubectl: Kubectl, kind: str, patch: str) -> None:
        """Both patch formats that custom resources have."""
        rack_node(kubectl, f"patched-{kind}")
        assert "patched" in kubectl("patch", "rn", f"patched-{kind}", f"--type={kind}", "-p", patch)
        assert kubectl("get", "rn", f"patched-{kind}", "-o", "jsonpath={.spec.slots}") == "4"

    def test_patch_the_status(self, kubectl: Kubectl) -> None:
        """The status subresource, as an operator writes it."""
        rack_node(kubectl, "ready")
        kubectl(
            "patch",
            "rn",
            "ready",
            "--subresource=status",
            "--type=merge",
            "-p",
            '{"status":{"phase":"Ready"}}',
        )
        assert kubectl("wait", "rn/ready", "--for=jsonpath={.status.phase}=Ready", "--timeout=5s")

    def test_edit(self, kubectl: Kubectl) -> None:
        """An editor's change is stored."""
        rack_node(kubectl, "edited")
        kubectl("edit", "rn", "edited", EDITOR="sed -i s/2.1.0/2.4.0/")
        assert kubectl("get", "rn", "edited", "-o", "jsonpath={.spec.desiredFirmware}") == "2.4.0"

    def test_wait_for_a_condition_that_comes_later(self, kubectl: Kubectl) -> None:
        """`kubectl wait` watches until it holds, and gives up when it never does."""
        rack_node(kubectl, "later")
        waiting = kubectl.start("wait", "rn/later", "--for=jsonpath={.spec.slots}=3", "--timeout=10s")
        time.sleep(0.7)
        kubectl("patch", "rn", "later", "--type=merge", "-p", '{"spec":{"slots":3}}')
        assert "condition met" in waiting.communicate(timeout=10)[0]
        text = kubectl("wait", "rn/later", "--for=jsonpath={.spec.slots}=9", "--timeout=1s", status=1)
        assert "timed out" in text

    def test_watch(self, kubectl: Kubectl) -> None:
        """`kubectl get -w` prints each change as a row."""
        rack_node(kubectl, "watched")
        watching = kubectl.start("get", "rn", "watched", "-w", "--request-timeout=2s")
        time.sleep(0.7)
        kubectl("patch", "rn", "watched", "--type=merge", "-p", '{"spec":{"desiredFirmware":"3.0.0"}}')
        lines = watching.communicate(timeout=10)[0].splitlines()
        assert [line.split()[1] for line in lines[1:3]] == ["2.1.0", "3.0.0"]

    def test_server_side_apply(self, kubectl: Kubectl) -> None:
        """Applied, in conflict with another manager, and forced."""
        manifest = RACK_NODE.format(name="ssa", firmware="2.1.0")
        assert "serverside-applied" in kubectl("apply", "--server-side", "-f", "-", stdin=manifest)
        kubectl("patch", "rn", "ssa", "--type=merge", "-p", '{"spec":{"desiredFirmware":"2.9.0"}}')
        text = kubectl("apply", "--server-side", "-f", "-", stdin=manifest, status=1)
        assert 'conflict with "kubectl-patch" using rack.example.com/v1: .spec.desiredFirmware' in text
        kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", stdin=manifest)
        assert kubectl("get", "rn", "ssa", "-o", "jsonpath={.spec.desiredFirmware}") == "2.1.0"

    def test_from_client_side_to_server_side(self, kubectl: Kubectl) -> None:
        """kubectl's own migration of managedFields goes through, without a warning."""
        rack_node(kubectl, "migrated")
        text = kubectl(
            "apply", "--server-side", "-f", "-", stdin=RACK_NODE.format(name="migrated", firmware="2.1.0")
        )
        assert "Warning" not in text

    def test_diff_and_dry_run(self, kubectl: Kubectl) -> None:
        """What would change, and nothing does."""
        rack_node(kubectl, "same")
        changed = RACK_NODE.format(name="same", firmware="2.7.0")
        assert "+  desiredFirmware: 2.7.0" in kubectl("diff", "-f", "-", stdin=changed, status=1)
        kubectl("apply", "--dry-run=server", "-f", "-", stdin=changed)
        assert kubectl("get", "rn", "same", "-o", "jsonpath={.spec.desiredFirmware}") == "2.1.0"

    def test_replace_annotate_and_delete(self, kubectl: Kubectl) -> None:
        """The rest of an object's life."""
        rack_node(kubectl, "leaving")
        kubectl("replace", "-f", "-", stdin=RACK_NODE.format(name="leaving", firmware="2.2.0"))
        kubectl("annotate", "rn", "leaving", "note=bye")
        assert "deleted" in kubectl("delete", "rn", "leaving", "--timeout=5s")
        assert "NotFound" in kubectl("get", "rn", "leaving", status=1)

    @pytest.mark.parametrize(
        ("manifest", "says"),
        [
            (RACK_NODE.format(name="bad", firmware="two"), "should match"),
            (RACK_NODE.format(name="bad", firmware="2.1.0") + "  color: red\n", 'unknown field "spec.color"'),
            (RACK_NODE.format(name="Bad!", firmware="2.1.0"), "RFC 1123 subdomain"),
            (
                RACK_NODE.format(name="bad", firmware="2.1.0").replace("desiredFirmware: 2.1.0", "slots: 1"),
                "Required value",
            ),
            (RACK_NODE.format(name="bad", firmware="[1]"), "must be of type string"),
        ],
    )
    def test_bad_manifests(self, kubectl: Kubectl, manifest: str, says: str) -> None:
        """Refused in the API server's words."""
        assert says in kubectl("apply", "-f", "-", stdin=manifest, status=1)

    def test_no_scale_subresource(self, kubectl: Kubectl) -> None:
        """What is not there is not found."""
        rack_node(kubectl, "unscaled")
        assert "could not find the requested resource" in kubectl(
            "scale", "rn", "unscaled", "--replicas=2", status=1
        )


class TestBuiltInKinds:
    """The kinds that come with every cluster."""

    def test_a_deployment_rolls_out_and_back(self, kubectl: Kubectl) -> None:
        """Apply, rollout, a new image, undo: the old ReplicaSet comes back."""
        kubectl("apply", "-f", "-", stdin=DEPLOYMENT.format(name="web"))
        kubectl("rollout", "status", "deploy/web", "--timeout=10s")
        kubectl("set", "image", "deploy/web", "app=app:2")
        kubectl("rollout", "status", "deploy/web", "--timeout=10s")
        kubectl("rollout", "undo", "deploy/web")
        kubectl("rollout", "status", "deploy/web", "--timeout=10s")
        assert len(kubectl("get", "rs", "-l", "app=web", "-o", "name").split()) == 2
        assert kubectl("get", "deploy", "web", "-o", "jsonpath={..image}") == "app:1"
        assert "2/2" in kubectl("get", "deploy", "web")
        assert "Running" in kubectl("get", "pods", "-l", "app=web", "-o", "wide")
        assert "OldReplicaSets" in kubectl("describe", "deploy", "web")

    def test_strategic_merge(self, kubectl: Kubectl) -> None:
        """kubectl's default patch for built-in kinds merges lists by their keys."""
        kubectl("apply", "-f", "-", stdin=DEPLOYMENT.format(name="merged"))
        patch = (
            '{"spec":{"template":{"spec":{"containers":[{"name":"app","env":[{"name":"B","value":"3"}]},'
            '{"name":"side","image":"side:1"}]}}}}'
        )
        kubectl("patch", "deploy", "merged", "-p", patch)
        containers = json.loads(kubectl("get", "deploy", "merged", "-o", "json"))["spec"]["template"]["spec"][
            "containers"
        ]
        by_name = {container["name"]: container for container in containers}
        assert by_name["app"]["image"] == "app:1"
        assert by_name["app"]["env"] == [{"name": "A", "value": "1"}, {"name": "B", "value": "3"}]
        assert by_name["side"]["image"] == "side:1"
        delete = '{"spec":{"template":{"spec":{"containers":[{"name":"side","$patch":"delete"}]}}}}'
        kubectl("patch", "deploy", "merged", "-p", delete)
        assert "side" not in kubectl("get", "deploy", "merged", "-o", "jsonpath={..containers[*].name}")

    def test_apply_takes_out_what_the_file_no_longer_has(self, kubectl: Kubectl) -> None:
        """Client-side apply's three-way merge."""
        manifest = DEPLOYMENT.format(name="shrinks")
        kubectl("apply", "-f", "-", stdin=manifest)
        kubectl("apply", "-f", "-", stdin=manifest.replace(', {name: B, value: "2"}', ""))
        names = kubectl("get", "deploy", "shrinks", "-o", "jsonpath={..env[*].name}")
        assert names == "A"

    def test_scale_and_delete(self, kubectl: Kubectl) -> None:
        """The scale subresource; deletion takes ReplicaSets and pods along."""
        kubectl("apply", "-f", "-", stdin=DEPLOYMENT.format(name="scaled"))
        kubectl("scale", "deploy", "scaled", "--replicas=4")
        kubectl("wait", "deploy/scaled", "--for=jsonpath={.status.readyReplicas}=4", "--timeout=10s")
        kubectl("delete", "deploy", "scaled", "--timeout=10s")
        kubectl("wait", "pod", "-l", "app=scaled", "--for=delete", "--timeout=10s")
        assert "No resources found" in kubectl("get", "rs,pods", "-l", "app=scaled")

    def test_what_kubectl_creates_in_protobuf(self, kubectl: Kubectl) -> None:
        """kubectl sends some built-in kinds as protobuf."""
        kubectl("create", "namespace", "proto")
        kubectl("create", "configmap", "settings", "-n", "proto", "--from-literal=colour=green")
        kubectl("create", "secret", "generic", "hidden", "-n", "proto", "--from-literal=key=value")
        kubectl("create", "deployment", "d", "-n", "proto", "--image=app:1", "--replicas=2", "--port=80")
        kubectl("create", "job", "j", "-n", "proto", "--image=busybox", "--", "echo", "hello")
        kubectl("create", "pdb", "p", "-n", "proto", "--selector=app=d", "--min-available=1")
        kubectl("create", "serviceaccount", "robot", "-n", "proto")
        kubectl("create", "role", "reader", "-n", "proto", "--verb=get,list", "--resource=pods")
        kubectl(
            "create", "rolebinding", "reads", "-n", "proto", "--role=reader", "--serviceaccount=proto:robot"
        )
        kubectl("create", "service", "clusterip", "front", "-n", "proto", "--tcp=80:8080")
        kubectl("create", "priorityclass", "high", "--value=1000")
        binding = json.loads(kubectl("get", "rolebinding", "reads", "-n", "proto", "-o", "json"))
        assert binding["roleRef"]["name"] == "reader"
        assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "robot", "namespace": "proto"}]
        port = json.loads(kubectl("get", "svc", "front", "-n", "proto", "-o", "json"))["spec"]["ports"][0]
        assert (port["port"], port["targetPort"]) == (80, 8080)
        assert kubectl("get", "priorityclass", "high", "-o", "jsonpath={.value}") == "1000"
        assert kubectl("get", "cm", "settings", "-n", "proto", "-o", "jsonpath={.data.colour}") == "green"
        assert kubectl("get", "secret", "hidden", "-n", "proto", "-o", "jsonpath={.data.key}") == "dmFsdWU="
        assert kubectl("get", "deploy", "d", "-n", "proto", "-o", "jsonpath={.spec.replicas}") == "2"
        assert kubectl("get", "job", "j", "-n", "proto", "-o", "jsonpath={..command[*]}") == "echo hello"
        assert kubectl("get", "pdb", "p", "-n", "proto", "-o", "jsonpath={.spec.minAvailable}") == "1"

    def test_a_namespace_goes_with_what_is_in_it(self, kubectl: Kubectl) -> None:
        """Terminating, emptied, gone."""
        kubectl("create", "namespace", "short-lived")
        kubectl("create", "configmap", "a", "-n", "short-lived")
        assert "deleted" in kubectl("delete", "namespace", "short-lived", "--timeout=10s")
        assert "NotFound" in kubectl("get", "namespace", "short-lived", status=1)
        assert "not found" in kubectl("create", "configmap", "b", "-n", "short-lived", status=1)

    def test_drain(self, kubectl: Kubectl) -> None:
        """Cordon, evict through the subresource, and come back."""
        kubectl("create", "deployment", "moves", "--image=app:1", "--replicas=2")
        kubectl("rollout", "status", "deploy/moves", "--timeout=10s")
        kubectl(
            "drain", "node-1", "--ignore-daemonsets", "--delete-emptydir-data", "--force", "--timeout=15s"
        )
        assert "SchedulingDisabled" in kubectl("get", "node", "node-1")
        kubectl("uncordon", "node-1")
        kubectl("taint", "node", "node-1", "a=b:NoSchedule")
        kubectl("taint", "node", "node-1", "a-")
        assert "Ready" in kubectl("describe", "node", "node-1")

    def test_odds_and_ends(self, kubectl: Kubectl) -> None:
        """Other commands that people type."""
        assert kubectl("auth", "can-i", "create", "pods").strip() == "yes"
        kubectl("run", "one", "--image=app:1")
        kubectl("logs", "one")
        assert "no containers to connect to" in kubectl("exec", "one", "--", "ls", status=1)
        kubectl("delete", "pod", "one", "--grace-period=1", "--timeout=10s")
        assert "NAME" in kubectl("get", "all")
        assert "namespaces" in kubectl("api-resources", "--namespaced=false", "-o", "name")
        assert "default" in kubectl("get", "--raw", "/api/v1/namespaces/default")
        assert "ok" in kubectl("get", "--raw", "/readyz")
