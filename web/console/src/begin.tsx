import { effect } from "@preact/signals";
import { render } from "preact";
import { FEATURES } from "./features";
import { watchAttention } from "./logic/attention";
import { preferences } from "./preferences";
import { App, prepare } from "./shell/App";
import { readPage } from "./shell/address";
import { yieldToBrowser } from "./shell/yielding";
import { listenForCommands } from "./shell/commands";
import { install, pages } from "./shell/installed";
import { start } from "./shell/session";
import { language, page } from "./store";
import { loadTexts } from "./texts";

watchAttention();
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

readPage();
effect(() => prepare(page.value));
effect(() => void loadTexts(language.value));

async function begin(): Promise<void> {
  await yieldToBrowser();
  render(<App />, document.getElementById("console") as HTMLElement);
  listenForCommands();
  await yieldToBrowser();
  await start();
}
void begin();
