// Parses every scene of a folder with the engine's own parser and prints the CPU time of each of four passes.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import webgal from "webgal-parser"; // CommonJS behind a default export

const { default: SceneParser, ADD_NEXT_ARG_LIST, SCRIPT_CONFIG } = webgal;
const folder = process.argv[2];
const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
const parser = new SceneParser(() => {}, (name) => `./game/${name}`, ADD_NEXT_ARG_LIST, SCRIPT_CONFIG);

const passes = [];
for (let pass = 0; pass < 4; pass++) {
  const started = process.cpuUsage();
  for (const text of texts) parser.parse(text, "s", "s");
  const { user, system } = process.cpuUsage(started);
  passes.push((user + system) / 1000);
}
console.log(JSON.stringify({ passes }));
