import "../../theme/tokens.css";
import "./styles/page.css";

/** Each part is read in a task of its own: between two of them the browser draws and listens. */
const parts = [
  () => import("./libraries"),
  async () => (await import("./texts/first")).loaded,
  () => import("./features"),
  () => import("./begin"),
];
for (const part of parts) {
  await part();
  await new Promise((resolve) => setTimeout(resolve));
}
