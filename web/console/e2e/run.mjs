// Runs the specs side by side. In CI a spec that failed gets a second try, alone, and is named: what passes only then
// has a race in it, or in what it tries.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { run } from "node:test";
import { spec } from "node:test/reporters";

const folder = fileURLToPath(new URL(".", import.meta.url));
const specs = readdirSync(folder).filter((name) => name.endsWith(".spec.mjs")).map((name) => folder + name);

/** The files in which something failed. */
async function failing(files, concurrency) {
  const failed = new Set();
  const events = run({ files, concurrency });
  events.on("test:fail", ({ file, name }) => failed.add(file ?? name));
  for await (const text of events.compose(new spec())) process.stdout.write(text);
  return [...failed];
}

let failed = await failing(specs, 2);
if (failed.length && process.env.CI) {
  console.log(`\nOnce more, alone: ${failed.join(", ")}\n`);
  failed = await failing(failed, 1);
}
process.exitCode = failed.length ? 1 : 0;
