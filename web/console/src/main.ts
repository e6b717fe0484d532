import "../../theme/tokens.css";
import "./styles/page.css";
import { reloadIfReplaced } from "./shell/newer";

/** Each part is loaded in a task of its own, so that the browser can draw and handle input in between. */
const parts = [
  () => import("./libraries"),
  async () => (await import("./texts/first")).loaded,
  () => import("./features"),
  () => import("./begin"),
];
try {
  for (const part of parts) {
    await part();
    await new Promise((resolve) => setTimeout(resolve));
  }
} catch (failure) {
  if (!(await reloadIfReplaced())) {
    document.body.textContent = "This page couldn't be loaded. Reload it. 页面无法加载，请重新加载。";
    throw failure;
  }
}
