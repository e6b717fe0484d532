import type { Feature } from "../../shell/feature";
import { lazily } from "../../ui/Lazy";
import "./desktop.css";
import { desktopEn } from "./texts/en";
import type { DesktopTexts } from "./texts/shape";
import { desktopZh } from "./texts/zh";

export type DesktopWords = { pages: { desktop: string }; desktop: DesktopTexts };

export const desktop: Feature<DesktopWords> = {
  texts: { en: { pages: { desktop: "Desktop" }, desktop: desktopEn }, zh: { pages: { desktop: "桌面" }, desktop: desktopZh } },
  pages: [{ name: "desktop", group: "surfaces", icon: "M3 4h18v12H3zM12 16v4M8 20h8", View: lazily(async () => (await import("./components/Desktop")).Desktop) }],
};
