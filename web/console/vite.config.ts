import { defineConfig } from "vite";

const server = "http://127.0.0.1:6006";

export default defineConfig({
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../../src/handrail/faces/http/console",
    emptyOutDir: true,
    // The page's policy allows no inline script and no data: script.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    target: "es2022",
    // The themes are light-dark() pairs, to be left as they are.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
  },
  server: { proxy: { "/api": server, "/socket.io": { target: server, ws: true } } },
});
