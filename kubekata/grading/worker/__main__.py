"""The command line of a zygote: `python -s -P -m kubekata.grading.worker OPTIONS-AS-JSON`."""

import os
import sys

import msgspec

from kubekata.grading.worker.options import WorkerOptions
from kubekata.grading.worker.zygote import serve

serve(msgspec.json.decode(sys.argv[1], type=WorkerOptions))
os._exit(0)  # the host waits, and there is nothing that taking the interpreter apart would still do
