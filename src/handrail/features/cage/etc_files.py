"""The generated files of the cage's own /etc. The ones copied from this machine's are listed in `mounts.py`."""

import os

from handrail.features.cage.git_identity import user_identity
from handrail.features.cage.spec import HOME

_RESOLV_CONF = "# Names are resolved outside: programs connect through the proxy in HTTPS_PROXY.\n"


def etc_files(project: str, user: str) -> dict[str, bytes]:
    """Maps paths to contents. The user has the person's name and ids, because files show them."""
    uid, gid = os.geteuid(), os.getegid()
    texts = {
        "passwd": f"{user}:x:{uid}:{gid}::{HOME}:/bin/sh\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n",
        "group": f"{user}:x:{gid}:\nnogroup:x:65534:\n",
        "hosts": "127.0.0.1 localhost cage\n::1 localhost\n",
        "hostname": "cage\n",
        "resolv.conf": _RESOLV_CONF,
        "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n",
        "gitconfig": git_config(project, user_identity()),
    }
    return {f"/etc/{name}": text.encode() for name, text in texts.items()}


def git_config(project: str, identity: dict[str, str]) -> str:
    lines = ["[safe]", f"\tdirectory = {_quoted(project)}"]
    if identity:
        lines += ["[user]", *(f"\t{name} = {_quoted(value)}" for name, value in sorted(identity.items()))]
    return "\n".join(lines) + "\n"


def private_home(state: str, client: str, *, is_narrow: bool = False) -> str:
    """Returns the client's own home, which is reused by later runs. In a narrow cage it has the settings, too."""
    folder = f"{state}/homes/{client or 'other'}{'-narrow' if is_narrow else ''}"
    os.makedirs(folder, mode=0o700, exist_ok=True)
    os.chmod(folder, 0o700)  # an agent may have closed it
    return folder


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'
