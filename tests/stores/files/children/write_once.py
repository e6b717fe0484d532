"""Makes one durable write or create and prints how it ended: project, path, size, method, largest file size."""

import resource
import sys

from handrail.ports.errors import Failure
from handrail.stores.local.files.folder import LocalFolder

project, path, size, method, most = sys.argv[1:]
folder = LocalFolder.open(project)
if int(most):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(most), int(most)))
try:
    getattr(folder, method)(path, b"n" * int(size))
except Failure as failure:
    print(type(failure).__name__, failure.details.get("error"))
else:
    print("success")
