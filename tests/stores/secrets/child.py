"""`child.py STATE get NAME | put NAME VALUE | forget NAME`: the store in a separate process, in any session."""

import asyncio
import json
import sys
from pathlib import Path

from handrail.kernel.keyring_secrets import KeyringSecretStore
from handrail.ports.secrets import KeyringAway, Secret
from handrail.stores.local.secret_file import SecretFile
from handrail.stores.local.secrets.keyring import OsKeyring

store = KeyringSecretStore(OsKeyring(patience=60), SecretFile(Path(sys.argv[1])))
verb, name, *value = sys.argv[2:]
try:
    if verb == "put":
        print(json.dumps(asyncio.run(store.put(name, Secret(value[0]))).place))
    elif verb == "get":
        found = asyncio.run(store.get(name))
        print(json.dumps(found and found.reveal()))
    else:
        print(json.dumps(asyncio.run(store.forget(name))))
except KeyringAway as away:
    print(json.dumps({"away": away.message, "hint": away.hint}))
