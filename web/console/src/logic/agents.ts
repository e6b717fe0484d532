/** Display names of agents. The name is what the agent claims; what it may do depends on more than that. */

import { texts } from "../store";

const KNOWN: readonly (readonly [RegExp, string, string, string])[] = [
  [/^claude[-_ ]?code/i, "Claude Code", "C", "#b85c36"],
  [/^claude/i, "Claude", "C", "#b85c36"],
  [/^codex/i, "Codex", "✳", "#0f7a5c"],
  [/^cursor/i, "Cursor", "↗", "#2c2c2c"],
  [/^(?:visual studio code|vscode|vs code|copilot)/i, "VS Code", "V", "#3b6fb5"],
  [/^gemini/i, "Gemini CLI", "G", "#5a55b0"],
  [/^cline/i, "Cline", "C", "#6a5b3f"],
  [/^windsurf/i, "Windsurf", "W", "#1f7a83"],
  [/^zed/i, "Zed", "Z", "#2f5aa8"],
];
const COLOURS = ["#8a4f7d", "#3f6f4e", "#4d5f9e", "#8a5a1f", "#7a3f3f", "#2d6f7c"];

export interface AgentLook {
  name: string;
  letter: string;
  colour: string;
}

/** Folder names that don't identify the program in them. */
const PLAIN_FOLDER = /^(?:v?\d.*|bin|dist|lib|libexec|versions|node_modules|cli\.m?js)$/;

/** A program's name from its path: the last part that is a name. */
function programName(path: string): string {
  return path.split("/").reverse().find((part) => part !== "" && !PLAIN_FOLDER.test(part)) ?? path;
}

/**
 * The name may have a version (`claude-code/2.1`) or a face (`mcp claude-code/2.1`), or be an identity
 * (`program:1000:/usr/bin/claude`).
 */
export function agentLook(claimed: string): AgentLook {
  const program = /^program:\d+:(.+)$/.exec(claimed);
  // For a program that an interpreter runs without a file, a digest of its arguments follows.
  if (program) return agentLook(programName(program[1]!.replace(/ [\da-f]{16}$/, "")));
  const plain = claimed.replace(/^agent:/, "").replace(/^(?:mcp|http|hook|cage|chat)[: ]/i, "").replace(/[/@ ]v?\d[\w.]*.*$/, "").trim() || claimed;
  if (/^script(?::|$)/.test(plain)) return { name: texts.value.chat.scriptedModel, letter: "S", colour: COLOURS[1]! };
  const entry = KNOWN.find(([pattern]) => pattern.test(plain));
  if (entry) return { name: entry[1], letter: entry[2], colour: entry[3] };
  const sum = [...plain].reduce((total, char) => total + (char.codePointAt(0) ?? 0), 0);
  return { name: plain, letter: [...plain][0]?.toUpperCase() ?? "?", colour: COLOURS[sum % COLOURS.length]! };
}
