import type { Feature } from "../../shell/feature";
import { lazily } from "../../ui/Lazy";

export const settings: Feature = {
  pages: [{ name: "settings", group: "foot", icon: "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6M12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2 2M16.4 16.4l2 2M18.4 5.6l-2 2M7.6 16.4l-2 2", View: lazily(async () => (await import("./components/Settings")).Settings) }],
  settings: [{ section: "general", View: lazily(async () => (await import("./components/Appearance")).Appearance) }, { section: "access", View: lazily(async () => (await import("./components/AccessCard")).AccessCard) }, { section: "keyboard", View: lazily(async () => (await import("./components/Keyboard")).Keyboard) }],
};
