import { readdirSync, readFileSync, rmSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

const server = "http://127.0.0.1:6006";

/** `main.ts` reads the program in parts, one after the other; their files are fetched at once. */
const fetchedAtOnce: Plugin = {
  name: "fetched-at-once",
  transformIndexHtml: {
    order: "post",
    handler: (_, { bundle, chunk: main }) => {
      const chunks = new Map(Object.values(bundle ?? {}).flatMap((one) => (one.type === "chunk" ? [[one.fileName, one] as const] : [])));
      const wanted = new Set<string>();
      const want = (name: string): void => {
        if (wanted.has(name)) return;
        wanted.add(name);
        chunks.get(name)?.imports.forEach(want);
      };
      main?.dynamicImports.forEach(want);
      return [...wanted].map((name) => ({ tag: "link", attrs: { rel: "modulepreload", crossorigin: true, href: `/${name}` }, injectTo: "head" as const }));
    },
  },
};

/** What makes the page installable has fixed names, which browsers ask for: manifest, icons, service worker. */
const installable: Plugin = {
  name: "installable",
  generateBundle() {
    for (const fileName of readdirSync("pwa")) this.emitFile({ type: "asset", fileName, source: readFileSync(`pwa/${fileName}`) });
  },
};

/** What an earlier build left goes last: a server that starts meanwhile finds a whole console. */
const sweptLast: Plugin = {
  name: "swept-last",
  writeBundle: ({ dir }, bundle) => {
    for (const name of readdirSync(dir!, { recursive: true, withFileTypes: true })) {
      const path = `${name.parentPath}/${name.name}`;
      if (name.isFile() && !(path.slice(dir!.length + 1) in bundle)) rmSync(path);
    }
  },
};

export default defineConfig({
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [fetchedAtOnce, installable, sweptLast],
  build: {
    outDir: "../../src/handrail/faces/http/console",
    emptyOutDir: false,
    // The page's policy allows no inline script and no data: script. A part's own imports are found by the browser.
    modulePreload: { polyfill: false, resolveDependencies: (_, dependencies, { hostType }) => (hostType === "html" ? dependencies : dependencies.filter((name) => name.endsWith(".css"))) },
    assetsInlineLimit: 0,
    target: "es2022",
    // The themes use light-dark() pairs, which must stay as they are.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Few files, each with what is needed together, because a request costs more than its bytes. What a module
          // imports goes with it.
          groups: [
            { name: "libraries", test: /node_modules\/@?preact|src\/libraries/, priority: 6 },
            { name: "shell", test: /console\/src\/store\.ts|texts\/first|host\/src\/(?:envelope|page-secret)/, priority: 5 },
            { name: "features", test: /console\/src\/features\.ts/, priority: 4 },
            { name: "begin", test: /console\/src\/begin\.tsx/, priority: 3 },
            { name: "agent", test: /features\/agent\/components\/Chat\.tsx/, priority: 2 },
            { name: "line", test: /console\/src\/shell\/socket/, priority: 1 },
          ],
        },
      },
    },
  },
  server: { proxy: { "/api": server, "/socket.io": { target: server, ws: true } } },
});
