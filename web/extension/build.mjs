/** Builds the extension into the package, where `handrail extension` finds it; one classic script an entry. */
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const here = fileURLToPath(new URL(".", import.meta.url));
const out = fileURLToPath(new URL(process.env.HANDRAIL_EXTENSION_OUT ?? "../../src/handrail/extension/", import.meta.url));

const ENTRIES = {
  worker: "src/worker/main.ts",
  ear: "src/page/early_events_main.ts",
  page: "src/page/main.ts",
  article: "src/page/article_main.ts",
  bridge: "src/bridge/main.ts",
  popup: "src/ui/popup.tsx",
  pair: "src/ui/pair.tsx",
  confirm: "src/ui/confirm.tsx",
  options: "src/ui/options.tsx",
};
const FILES = ["manifest.json", "_locales", "icons"];
const STYLES = { "../theme/tokens.css": "tokens.css", "src/ui/ui.css": "ui.css" };

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const [name, input] of Object.entries(ENTRIES)) {
  const bundle = await rolldown({
    input: here + input,
    platform: "browser",
    logLevel: "warn",
    transform: { target: "chrome125" },
  });
  await bundle.write({ file: `${out}${name}.js`, format: "iife", minify: true, comments: { legal: true } });
  await bundle.close();
}
for (const name of FILES) cpSync(here + name, out + name, { recursive: true });
for (const [from, to] of Object.entries(STYLES)) cpSync(here + from, out + to);
for (const page of ["popup", "pair", "confirm", "options"]) cpSync(`${here}src/ui/${page}.html`, `${out}${page}.html`);
