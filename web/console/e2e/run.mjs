// Runs the specs in parallel; `node run.mjs access long` selects some.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { run } from "node:test";
import { spec } from "node:test/reporters";

const folder = fileURLToPath(new URL(".", import.meta.url));
const wanted = process.argv.slice(2);
const files = readdirSync(folder).filter((name) => name.endsWith(".spec.mjs") && (!wanted.length || wanted.includes(name.replace(".spec.mjs", "")))).map((name) => folder + name);

const events = run({ files, concurrency: 2 });
events.on("test:fail", () => { process.exitCode = 1; });
for await (const text of events.compose(new spec())) process.stdout.write(text);
