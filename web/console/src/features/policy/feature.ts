import type { Feature } from "../../shell/feature";
import { lazily } from "../../ui/Lazy";

export const policy: Feature = {
  pages: [{ name: "permissions", group: "work", icon: "M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6z", View: lazily(async () => (await import("./components/Permissions")).Permissions) }],
};
