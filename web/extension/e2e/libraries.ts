/** Pages with real widget libraries: the pinned ones of tests/peers, bundled here where a browser can't load them as they are. */

import { existsSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const modules = fileURLToPath(new URL("../../../tests/peers/node_modules/", import.meta.url));
const widgets = fileURLToPath(new URL("./widgets/", import.meta.url));
const TYPES: Record<string, string> = { ".js": "text/javascript", ".css": "text/css", ".html": "text/html; charset=utf-8", ".png": "image/png", ".svg": "image/svg+xml", ".ttf": "font/ttf" };

export interface Served { body: Buffer | string; type: string }

/** `/lib/…` is a file of a package, `/widget/name` a page of one library, `/bundle/name.js` its script. */
export async function library(path: string): Promise<Served | null> {
  const [, kind, rest = ""] = /^\/(lib|widget|bundle)\/([\w@./-]+)$/.exec(path) ?? [];
  if (!kind || rest.includes("..")) return null;
  if (kind === "bundle") return { body: await bundled(rest), type: TYPES[".js"]! };
  const file = kind === "lib" ? modules + rest : `${widgets}${rest}.html`;
  if (existsSync(file)) return { body: readFileSync(file), type: TYPES[extname(file)] ?? "application/octet-stream" };
  return kind === "widget" ? { body: `<!doctype html><meta charset="utf-8"><title>${rest}</title><body><script type="module" src="/bundle/${rest}.js"></script>`, type: TYPES[".html"]! } : null;
}

async function bundled(name: string): Promise<string> {
  const bundle = await rolldown({ input: widgets + name, resolve: { modules: [modules] }, logLevel: "silent" });
  const { output } = await bundle.generate({ format: "esm", codeSplitting: false });
  await bundle.close();
  return output[0].code;
}
