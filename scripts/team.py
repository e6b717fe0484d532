"""`make team`: a team on this machine, with engines of its own, until Ctrl-C; and a story to try with it."""

import shutil
import signal
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.features.team.servers import Team
from tests.team_engines import S3, Nats, Postgres, engine_folder

STORY = """
A team with two servers runs on this machine. Everything ends, and is forgotten, with Ctrl-C.

1. Sign in at {first}/team/sign-in
     ada, administrator: {ada}
     bo, approver:       {bo}

2. Be an agent, at the other server. It waits for an approval:

     curl -s {second}/mcp -H 'authorization: Bearer {claude}' \\
       -H 'accept: application/json, text/event-stream' -H 'content-type: application/json' \\
       -d '{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"replace_in_file",
            "arguments":{{"path":"README.md","find":"hello","replace":"hello, team"}}}}}}'

   Approve it in the console as bo. ada can't: the agent works for her. Then look at {readme}

3. Ask for two people, and try 2 again with another text:

     export HANDRAIL_TEAM_DATABASE='{database}'
     {handrail} team approvals require 2 --tool 'replace_*'

4. Stop one server (kill -9 {pid}) while a call waits there, and repeat the call at the other one.

5. Revoke the agent, and call once more:  {handrail} team token revoke claude

6. Verify the record:

     {handrail} audit verify --database "$HANDRAIL_TEAM_DATABASE" --public-key {key}
"""


def main() -> None:
    where = Path(tempfile.mkdtemp(prefix="handrail-team-"))
    nats, s3 = Nats(), S3()
    with engine_folder("team") as folder:
        postgres = Postgres(folder / "postgres")
        team: Team | None = None
        try:
            for engine in (postgres, nats, s3):
                engine.start()
            team = Team(where, postgres, nats, s3)
            ada, bo = team.token("ada", "administrator"), team.token("bo", "approver")
            claude = team.token("claude", "agent", owner="ada")
            first, second = team.start(2)
            told = {"ada": ada, "bo": bo, "claude": claude, "database": team.database, "key": team.public_key}
            handrail = Path(sys.executable).with_name("handrail")
            places = {"first": first.url, "second": second.url, "readme": team.project / "README.md"}
            print(STORY.format(**told, **places, handrail=handrail, pid=second.process.pid), flush=True)
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            signal.pause()
        except KeyboardInterrupt:
            pass
        finally:
            if team is not None:
                team.stop()
            for engine in (s3, nats, postgres):
                engine.stop()
            shutil.rmtree(where, ignore_errors=True)


if __name__ == "__main__":
    main()
