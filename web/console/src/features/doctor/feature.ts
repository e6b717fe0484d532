import type { Feature } from "../../shell/feature";
import { lazily } from "../../ui/Lazy";

export const doctor: Feature = {
  settings: [{ section: "setup", View: lazily(async () => (await import("./DoctorCard")).DoctorCard) }],
};
