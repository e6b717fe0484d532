import { expect, test } from "vitest";
import { agentLook } from "../src/logic/agents";

test.each([
  ["claude-code/2.1", "Claude Code"],
  ["mcp codex/0.9", "Codex"],
  ["agent:claude-code", "Claude Code"],
  ["program:1000:/usr/local/bin/codex", "Codex"],
  ["program:1000:/home/ada/.local/share/claude/versions/2.1.4", "Claude"],
  ["program:0:/opt/py/versions/3.11.7/bin/python3.11", "python3.11"],
  ["program:0:/usr/bin/python3.11 e4179b90117174a2", "python3.11"],
])("%s is called %s", (said, name) => {
  expect(agentLook(said).name).toBe(name);
});
