import "../../theme/tokens.css";
import "./styles/page.css";
import { effect } from "@preact/signals";
import { render } from "preact";
import { FEATURES } from "./features";
import { preferences } from "./preferences";
import { App, prepare } from "./shell/App";
import { listenForCommands } from "./shell/commands";
import { install, pages } from "./shell/installed";
import { start } from "./shell/session";
import { language, page } from "./store";

install(FEATURES);

effect(() => {
  const { theme } = preferences.value;
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
});
effect(() => {
  document.documentElement.lang = language.value === "zh" ? "zh-CN" : "en";
});
effect(() => {
  const count = pages().reduce((sum, one) => sum + (one.count?.() ?? 0), 0);
  document.title = count > 0 ? `(${count}) handrail` : "handrail";
});

effect(() => prepare(page.value));

render(<App />, document.getElementById("console") as HTMLElement);
listenForCommands();
void start();
