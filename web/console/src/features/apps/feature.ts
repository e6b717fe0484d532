import type { Feature } from "../../shell/feature";
import { lazily } from "../../ui/Lazy";
import "./apps.css";
import { appsEn } from "./texts/en";
import type { AppsTexts } from "./texts/shape";
import { appsZh } from "./texts/zh";

export type AppsWords = { pages: { apps: string }; apps: AppsTexts };

export const apps: Feature<AppsWords> = {
  texts: { en: { pages: { apps: "Apps and servers" }, apps: appsEn }, zh: { pages: { apps: "应用与服务器" }, apps: appsZh } },
  pages: [{ name: "apps", group: "surfaces", icon: "M12 3v6M12 15v6M3 12h6M15 12h6M9 9h6v6H9z", View: lazily(async () => (await import("./components/Apps")).Apps) }],
};
