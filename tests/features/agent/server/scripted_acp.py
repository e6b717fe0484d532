"""An agent that speaks ACP from a script, for what no real one does on demand. Runs in the cage, with Python alone.

The person's words say what happens: `ask` (for permission), `plan`, `garbage`, `die`, `deaf`, `hang` (until cancelled).
"""

SOURCE = r"""#!/usr/bin/env python3
import json, os, sys, time

def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

def update(**told):
    send(method="session/update", params={"sessionId": "s", "update": told})

def read():
    line = sys.stdin.readline()
    return json.loads(line) if line else sys.exit(0)

def ask():
    call = {"toolCallId": "t1", "title": "rm -rf build", "kind": "execute", "rawInput": {"command": "rm -rf build"}}
    update(sessionUpdate="tool_call", status="pending", **call)
    options = [
        {"optionId": "always", "name": "Always", "kind": "allow_always"},
        {"optionId": "once", "name": "Once", "kind": "allow_once"},
        {"optionId": "no", "name": "No", "kind": "reject_once"},
    ]
    send(id=7, method="session/request_permission", params={"sessionId": "s", "toolCall": call, "options": options})
    while (answer := read()).get("id") != 7 or "method" in answer:
        pass
    update(sessionUpdate="tool_call_update", toolCallId="t1", status="completed", rawOutput="done")
    return answer["result"]["outcome"].get("optionId", "cancelled")

def prompt(number, words):
    reason, said = "end_turn", "I heard you."
    if words == "ask":
        said = f"You chose {ask()}."
    elif words == "plan":
        steps = (("Look", "completed"), ("Do", "pending"))
        entries = [{"content": step, "priority": "high", "status": status} for step, status in steps]
        update(sessionUpdate="plan", entries=entries)
    elif words == "garbage":
        print("{not json\nSegmentation fault?", flush=True)
    elif words == "die":
        print("out of luck", file=sys.stderr, flush=True)
        os._exit(3)
    elif words == "deaf":
        update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "Working"})
        time.sleep(3600)
    elif words == "hang":
        update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "Working"})
        while read().get("method") != "session/cancel":
            pass
        reason, said = "cancelled", ""
    if said:
        update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": said})
    send(id=number, result={"stopReason": reason})

while True:
    message = read()
    if message.get("method") == "initialize":
        send(id=message["id"], result={"protocolVersion": 1, "agentCapabilities": {}})
    elif message.get("method") == "session/new":
        send(id=message["id"], result={"sessionId": "s"})
    elif message.get("method") == "session/prompt":
        prompt(message["id"], message["params"]["prompt"][0]["text"])
"""
