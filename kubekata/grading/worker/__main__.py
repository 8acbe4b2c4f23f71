"""The command line of a zygote: `python -s -P -m kubekata.grading.worker OPTIONS-AS-JSON`."""

import sys

import msgspec

from kubekata.grading.worker.options import WorkerOptions
from kubekata.grading.worker.zygote import serve

serve(msgspec.json.decode(sys.argv[1], type=WorkerOptions))
