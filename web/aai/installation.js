/** Writes the descriptor where gateways look for it, and removes it. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

const folderOf = (id) => join(homedir(), ".aai", id);

export function install(descriptor) {
  const folder = folderOf(descriptor.app.id);
  mkdirSync(folder, { recursive: true });
  const execution = { type: "stdio", command: process.execPath, args: [resolve(process.argv[1])] };
  writeFileSync(join(folder, "aai.json"), `${JSON.stringify({ ...descriptor, execution }, null, 2)}\n`);
  return join(folder, "aai.json");
}

export function uninstall(descriptor) {
  rmSync(join(folderOf(descriptor.app.id), "aai.json"), { force: true });
}
