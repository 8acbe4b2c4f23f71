"""The schema of RackNodes, as their CustomResourceDefinition states it (OpenAPI v3)."""

from __future__ import annotations

from typing import Any

_TEXT = {"type": "string"}
_COUNT = {"type": "integer"}

RACK_NODE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["spec"],
    "properties": {
        "spec": {
            "type": "object",
            "required": ["desiredFirmware"],
            "properties": {
                "desiredFirmware": {"type": "string", "pattern": r"^\d+\.\d+\.\d+$"},
                "power": {"type": "string", "enum": ["On", "Off"], "default": "On"},
                "slots": {"type": "integer", "minimum": 0, "maximum": 48},
            },
        },
        "status": {
            "type": "object",
            "properties": {
                "phase": _TEXT,
                "firmware": _TEXT,
                "powerState": _TEXT,
                "observedGeneration": _COUNT,
                "retries": _COUNT,
                "message": _TEXT,
                "conditions": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["type", "status"],
                        "properties": {
                            "type": _TEXT,
                            "status": {"type": "string", "enum": ["True", "False", "Unknown"]},
                            "reason": _TEXT,
                            "message": _TEXT,
                            "lastTransitionTime": {"type": "string", "format": "date-time"},
                            "observedGeneration": _COUNT,
                        },
                    },
                },
            },
        },
    },
}
