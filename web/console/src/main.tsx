import { effect } from "@preact/signals";
import { render } from "preact";
import { start } from "./actions/session";
import { App, prepare } from "./components/App";
import { preferences } from "./preferences";
import { language, page, waiting } from "./store";
import "./styles/tokens.css";
import "./styles/page.css";
import "./styles/panel.css";
import "./styles/lists.css";
import "./styles/browser.css";
import "./styles/desktop.css";
import "./styles/apps.css";

effect(() => {
  const { theme } = preferences.value;
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
});
effect(() => {
  document.documentElement.lang = language.value === "zh" ? "zh-CN" : "en";
});
effect(() => {
  document.title = waiting.value > 0 ? `(${waiting.value}) handrail` : "handrail";
});

effect(() => prepare(page.value));

render(<App />, document.getElementById("console") as HTMLElement);
void start();
