import type { Feature } from "../../shell/feature";
import { lazily } from "../../ui/Lazy";
import { keepWorker } from "./worker";

/** Its texts are loaded with its code. */
export const notifications: Feature = {
  server: "notifications",
  settings: [{ section: "notifications", View: lazily(async () => (await import("./NotificationsCard")).NotificationsCard) }],
  listen: () => void keepWorker(),
};
