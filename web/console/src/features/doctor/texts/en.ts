import type { DoctorTexts } from "./shape";

export const doctorEn: DoctorTexts = {
  doctor: "Setup",
  doctorWell: "Everything handrail needs is installed.",
  doctorIll: "handrail needs something that is missing.",
  checkAgain: "Check again",
  ok: "ok",
  missing: "missing",
  note: "note",
  checkNames: {},
};
