/** Bundles the extension with its language client into dist/extension.cjs; VS Code itself brings `vscode`. */
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const here = fileURLToPath(new URL(".", import.meta.url));

rmSync(`${here}dist`, { recursive: true, force: true });
const bundle = await rolldown({
  input: `${here}src/extension.ts`,
  platform: "node",
  external: ["vscode"],
  logLevel: "warn",
  transform: { target: "node20" },
});
await bundle.write({ file: `${here}dist/extension.cjs`, format: "cjs", minify: true, comments: { legal: true } });
await bundle.close();
