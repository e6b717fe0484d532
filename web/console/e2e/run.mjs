// Runs the specs side by side; `node run.mjs access long` picks some. Where $FAILED_TESTS names a file, what failed is
// written there, a line of JSON each: the spec and the test's name.
import { appendFileSync, readdirSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "node:test";
import { spec } from "node:test/reporters";

const folder = fileURLToPath(new URL(".", import.meta.url));
const wanted = process.argv.slice(2);
const files = readdirSync(folder).filter((name) => name.endsWith(".spec.mjs") && (!wanted.length || wanted.includes(name.replace(".spec.mjs", "")))).map((name) => folder + name);

const events = run({ files, concurrency: 2 });
events.on("test:fail", ({ name, file, details }) => {
  process.exitCode = 1;
  // A file that failed as a whole is told after its tests, and only counts by itself where none of them did.
  const isOwn = details.error?.failureType !== "subtestsFailed";
  const told = [basename(file ?? name, ".spec.mjs"), name.endsWith(".spec.mjs") ? "the whole file" : name];
  if (process.env.FAILED_TESTS && isOwn) appendFileSync(process.env.FAILED_TESTS, `${JSON.stringify(told)}\n`);
});
for await (const text of events.compose(new spec())) process.stdout.write(text);
