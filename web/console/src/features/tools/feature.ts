import type { Feature } from "../../shell/feature";
import { lazily } from "../../ui/Lazy";
import { toolsEn } from "./texts/en";
import type { ToolsTexts } from "./texts/shape";
import { toolsZh } from "./texts/zh";

export const tools: Feature<ToolsTexts> = {
  texts: { en: toolsEn, zh: toolsZh },
  pages: [{ name: "tools", group: "surfaces", icon: "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z", View: lazily(async () => (await import("./components/Tools")).Tools) }],
};
