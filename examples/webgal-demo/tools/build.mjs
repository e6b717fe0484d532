// Puts the game and, where it is installed, its engine into dist/, ready for any web server: `npm run build`.
import { cpSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("..", import.meta.url));
const engine = join(project, "node_modules", "webgal-engine", "dist");
const target = join(project, "dist");

rmSync(target, { recursive: true, force: true });
if (existsSync(engine)) {
  cpSync(engine, target, { recursive: true });
} else {
  console.warn("webgal-engine is not installed: dist/ holds the game alone. Run npm install first.");
}
cpSync(join(project, "game"), join(target, "game"), { recursive: true });
console.log(`${readdirSync(join(target, "game", "scene")).length} scenes in dist/`);
