"""Misconception: a machine that has been flashed once is on.
Fails: drift
"""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime
from typing import Any

import aiohttp
import kopf
import kubernetes

RACK_URL = os.environ.get("RACK_URL", "http://127.0.0.1:8000")
DRIFT_SECONDS = float(os.environ.get("DRIFT_SECONDS", "15"))
RETRY_SECONDS = float(os.environ.get("RETRY_SECONDS", "2"))
LONGEST_RETRY_SECONDS = 60.0

RACKNODES = "racknodes.rack.example.com"
FINALIZER = "rack.example.com/decommission"
SYSTEMS = "/redfish/v1/Systems"
SIMPLE_UPDATE = "/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate"

Manifest = dict[str, Any]


class Refused(Exception):
    """The rack says that this will never work."""


class NoSuchMachine(Exception):
    """The rack has no machine of this name."""


class Unavailable(Exception):
    """The rack does not answer, or asks for patience."""


class Rack:
    """The rack's Redfish API, as far as this operator needs it."""

    async def machine(self, name: str) -> Manifest:
        """Return a machine: ``PowerState`` and ``BiosVersion``."""
        return await self._call("GET", f"{SYSTEMS}/{name}")

    async def switch(self, name: str, power: str) -> None:
        """Switch a machine on or off."""
        reset = {"ResetType": "On" if power == "On" else "ForceOff"}
        await self._call("POST", f"{SYSTEMS}/{name}/Actions/ComputerSystem.Reset", reset)

    async def flash(self, name: str, version: str) -> None:
        """Write a firmware version; the machine has to be off."""
        await self._call("POST", SIMPLE_UPDATE, {"ImageURI": version, "Targets": [f"{SYSTEMS}/{name}"]})

    async def decommission(self, name: str) -> None:
        """Hand a machine back; one that is not there has been handed back already."""
        try:
            await self._call("DELETE", f"{SYSTEMS}/{name}")
        except NoSuchMachine:
            return

    async def _call(self, method: str, path: str, body: Manifest | None = None) -> Manifest:
        timeout = aiohttp.ClientTimeout(total=10)
        try:
            async with (
                aiohttp.ClientSession(RACK_URL, timeout=timeout) as session,
                session.request(method, path, json=body) as response,
            ):
                answer = await response.json() if response.content_type == "application/json" else {}
                status = response.status
        except (aiohttp.ClientError, TimeoutError) as error:
            raise Unavailable(f"the rack cannot be reached: {error}") from error
        message = answer.get("error", {}).get("message", f"{method} {path}: {status}")
        if status == 404:
            raise NoSuchMachine(message)
        if status >= 500:
            raise Unavailable(message)
        if status >= 400:
            raise Refused(message)
        return answer


rack = Rack()


@kopf.on.startup()
def configure(settings: kopf.OperatorSettings, **_: Any) -> None:
    """Keep kopf's notes in annotations, because the CRD's schema prunes unknown status fields."""
    settings.persistence.finalizer = FINALIZER
    settings.persistence.progress_storage = kopf.AnnotationsProgressStorage(prefix="rack.example.com")
    settings.persistence.diffbase_storage = kopf.AnnotationsDiffBaseStorage(prefix="rack.example.com")
    settings.peering.standalone = True


@kopf.on.resume(RACKNODES)
@kopf.on.create(RACKNODES)
@kopf.on.update(RACKNODES, field="spec")
async def converge(body: kopf.Body, patch: kopf.Patch, retry: int, logger: kopf.Logger, **_: Any) -> None:
    """Bring the machine to where the spec wants it."""
    try:
        await bring_to_spec(body, patch, logger)
    except (Unavailable, NoSuchMachine) as error:
        report(body, patch, "Updating", "RackUnavailable", str(error), retries=retry + 1)
        raise kopf.TemporaryError(str(error), delay=backoff(retry)) from error
    except Refused as error:
        report(body, patch, "Failed", "Refused", str(error))
        raise kopf.PermanentError(str(error)) from error


@kopf.timer(RACKNODES, interval=DRIFT_SECONDS, initial_delay=DRIFT_SECONDS, idle=DRIFT_SECONDS)
async def repair_drift(body: kopf.Body, patch: kopf.Patch, retry: int, logger: kopf.Logger, **_: Any) -> None:
    """Look at the machine now and then: somebody may change it, and nothing in the cluster tells of that."""
    if retry == 0 and body.status.get("phase") != "Ready":
        return  # converge is at work on it, or has given up
    try:
        await bring_to_spec(body, patch, logger)
    except (Unavailable, NoSuchMachine) as error:
        report(body, patch, "Updating", "RackUnavailable", str(error), retries=retry + 1)
        raise kopf.TemporaryError(str(error), delay=backoff(retry)) from error
    except Refused as error:
        report(body, patch, "Failed", "Refused", str(error))
        raise kopf.PermanentError(str(error)) from error


@kopf.on.delete(RACKNODES)
async def decommission(body: kopf.Body, patch: kopf.Patch, retry: int, logger: kopf.Logger, **_: Any) -> None:
    """Hand the machine back; the object stays until that is done."""
    name = body.metadata["name"]
    try:
        await rack.decommission(name)
    except (Unavailable, Refused) as error:
        report(body, patch, "Terminating", "DecommissionFailed", str(error))
        raise kopf.TemporaryError(str(error), delay=backoff(retry)) from error
    logger.info("%s is decommissioned", name)


async def bring_to_spec(body: kopf.Body, patch: kopf.Patch, logger: kopf.Logger) -> None:
    """Look at the machine, do what is missing, and report what came of it."""
    name, wanted, power = body.metadata["name"], body.spec["desiredFirmware"], body.spec.get("power", "On")
    machine = await rack.machine(name)
    if machine["BiosVersion"] != wanted:
        await record_flash(body, wanted)
        kopf.info(body, reason="Flashing", message=f"{machine['BiosVersion']} -> {wanted}")
        if machine["PowerState"] != "Off":
            await rack.switch(name, "Off")
        await rack.flash(name, wanted)
        await rack.switch(name, power)
        machine = await rack.machine(name)
        logger.info("%s runs firmware %s", name, wanted)
    report(body, patch, "Ready", "AsSpecified", machine=machine)


async def record_flash(body: kopf.Body, version: str) -> None:
    """Leave a Job behind for each flash. It belongs to the RackNode and goes with it."""
    job: Manifest = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": f"flash-{body.metadata['name']}-{version.replace('.', '-')}"},
        "spec": {
            "backoffLimit": 0,
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [
                        {
                            "name": "flash",
                            "image": "busybox:1.37",
                            "command": ["echo", f"{body.metadata['name']}: firmware {version}"],
                        }
                    ],
                }
            },
        },
    }
    kopf.adopt(job, owner=body)
    try:
        await asyncio.to_thread(
            kubernetes.client.BatchV1Api().create_namespaced_job, body.metadata["namespace"], job
        )
    except kubernetes.client.ApiException as error:
        if error.status != 409:
            raise Unavailable(f"the Job cannot be created: {error.reason}") from error


def report(
    body: kopf.Body,
    patch: kopf.Patch,
    phase: str,
    reason: str,
    message: str = "",
    *,
    retries: int = 0,
    machine: Manifest | None = None,
) -> None:
    """Write the status, but only what differs: a look that finds nothing to do writes nothing."""
    old = body.status
    generation = body.metadata.get("generation", 0)
    wanted: Manifest = {
        "phase": phase,
        "message": message,
        "retries": retries,
        "observedGeneration": generation,
    }
    if machine is not None:
        wanted |= {"firmware": machine["BiosVersion"], "powerState": machine["PowerState"]}
    patch.status.update({key: value for key, value in wanted.items() if old.get(key) != value})
    conditions = set_condition(
        list(old.get("conditions", [])),
        {
            "type": "Ready",
            "status": "True" if phase == "Ready" else "False",
            "reason": reason,
            "message": message,
            "observedGeneration": generation,
        },
    )
    if conditions != old.get("conditions"):
        patch.status["conditions"] = conditions


def set_condition(conditions: list[Manifest], new: Manifest) -> list[Manifest]:
    """Return conditions with one replaced; its transition time moves only when its status does."""
    old = next((c for c in conditions if c["type"] == new["type"]), None)
    if old is not None and old["status"] == new["status"]:
        since = old["lastTransitionTime"]
    else:
        since = datetime.now(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")
    fresh = {**new, "lastTransitionTime": since}
    if old is None:
        return [*conditions, fresh]
    return [fresh if c["type"] == new["type"] else c for c in conditions]


def backoff(retry: int) -> float:
    """Seconds until the next try: twice as long each time, up to a minute."""
    return min(RETRY_SECONDS * 2.0**retry, LONGEST_RETRY_SECONDS)
