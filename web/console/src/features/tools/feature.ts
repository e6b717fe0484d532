import type { Feature } from "../../shell/feature";
import { lazily } from "../../ui/Lazy";

export const tools: Feature = {
  pages: [{ name: "tools", group: "surfaces", icon: "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z", View: lazily(async () => (await import("./components/Tools")).Tools) }],
};
