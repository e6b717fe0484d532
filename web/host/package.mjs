// Writes the package.json of the built package: `node package.mjs FOLDER`. Within the repository the sources are used;
// elsewhere the built files.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const { private: _, scripts: __, devDependencies: ___, ...kept } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
const built = { ...kept, exports: { ".": { types: "./index.d.ts", default: "./index.js" } }, types: "./index.d.ts" };
writeFileSync(join(process.argv[2], "package.json"), `${JSON.stringify(built, null, 2)}\n`);
