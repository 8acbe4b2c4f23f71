#!/usr/bin/env bash
# The lab's cluster: run-kind.sh up | down | status
#
#   up      create the kind cluster "kubekata" unless it is there, and apply the RackNode definition
#   down    delete the cluster
#   status  say what is there; exit status 0 only if everything is
#
# Each may be run as often as you like. Exit status: 0 done, 1 it went wrong, 2 wrong usage, 3 something is missing.
set -euo pipefail

readonly CLUSTER=kubekata
readonly CONTEXT="kind-${CLUSTER}"
readonly DEFINITION=racknodes.rack.example.com
readonly WAIT=120s
FOLDER="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
readonly FOLDER

usage() {
  echo "usage: $(basename "$0") up|down|status" >&2
  exit 2
}

fail() {
  echo "run-kind.sh: $*" >&2
  exit 1
}

# Names everything that is missing at once, so that nobody has to come back for the next one.
require() {
  local missing=0 tool
  for tool in "$@"; do
    if ! command -v "$tool" >/dev/null 2>&1; then
      echo "missing: ${tool} ($(where_from "$tool"))" >&2
      missing=1
    fi
  done
  if [ "$missing" -ne 0 ]; then
    exit 3
  fi
  if ! docker info >/dev/null 2>&1; then
    echo "missing: a running docker daemon (\`docker info\` fails: start Docker, or join the docker group)" >&2
    exit 3
  fi
}

where_from() {
  case "$1" in
    docker) echo "https://docs.docker.com/get-docker/" ;;
    kind) echo "https://kind.sigs.k8s.io/docs/user/quick-start/#installation" ;;
    kubectl) echo "https://kubernetes.io/docs/tasks/tools/#kubectl" ;;
  esac
}

cluster_exists() {
  kind get clusters 2>/dev/null | grep -qx "$CLUSTER"
}

kube() {
  kubectl --context "$CONTEXT" "$@"
}

up() {
  require docker kind kubectl
  if cluster_exists; then
    echo "cluster ${CLUSTER}: already up"
    # Its context may have been removed from the kubeconfig since.
    kind export kubeconfig --name "$CLUSTER" >/dev/null 2>&1 || fail "the kubeconfig of ${CLUSTER} cannot be written"
  else
    kind create cluster --config "${FOLDER}/kind-config.yaml" --wait "$WAIT" ||
      fail "kind could not create the cluster; its messages are above"
    echo "cluster ${CLUSTER}: created"
  fi
  kube apply -f "${FOLDER}/racknode-crd.yaml" || fail "the RackNode definition could not be applied"
  kube wait --for=condition=Established "crd/${DEFINITION}" --timeout="$WAIT" ||
    fail "the API server does not serve RackNodes"
  echo "ready: kubectl --context ${CONTEXT} get racknodes --all-namespaces"
}

down() {
  require docker kind
  if ! cluster_exists; then
    echo "cluster ${CLUSTER}: not there"
    return
  fi
  kind delete cluster --name "$CLUSTER" || fail "kind could not delete the cluster"
  echo "cluster ${CLUSTER}: deleted"
}

status() {
  require docker kind kubectl
  if ! cluster_exists; then
    echo "cluster ${CLUSTER}: not there (run-kind.sh up creates it)"
    exit 1
  fi
  echo "cluster ${CLUSTER}: up"
  if ! kube version >/dev/null 2>&1; then
    echo "API server: does not answer (is its container paused or stopped?)"
    exit 1
  fi
  echo "API server: answers"
  if ! kube get "crd/${DEFINITION}" >/dev/null 2>&1; then
    echo "RackNodes: not defined (run-kind.sh up defines them)"
    exit 1
  fi
  echo "RackNodes: defined"
  kube get racknodes --all-namespaces
}

[ "$#" -eq 1 ] || usage
case "$1" in
  up | down | status) "$1" ;;
  *) usage ;;
esac
