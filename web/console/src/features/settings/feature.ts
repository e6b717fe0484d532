import type { Feature } from "../../shell/feature";
import { AccessCard } from "./components/AccessCard";
import { Appearance } from "./components/Appearance";
import { Keyboard } from "./components/Keyboard";
import { Settings } from "./components/Settings";
import { settingsEn } from "./texts/en";
import type { SettingsTexts } from "./texts/shape";
import { settingsZh } from "./texts/zh";

export const settings: Feature<SettingsTexts> = {
  texts: { en: settingsEn, zh: settingsZh },
  pages: [{ name: "settings", group: "foot", icon: "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6M12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2 2M16.4 16.4l2 2M18.4 5.6l-2 2M7.6 16.4l-2 2", View: Settings }],
  settings: [{ place: 1, View: Appearance }, { place: 4, View: AccessCard }, { place: 6, View: Keyboard }],
};
