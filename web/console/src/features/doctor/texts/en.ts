import type { DoctorTexts } from "./shape";

export const doctorEn: DoctorTexts = {
  doctor: "Doctor",
  doctorWell: "Everything that handrail needs is there.",
  doctorIll: "Something that handrail needs is missing.",
  checkAgain: "Check again",
  ok: "ok",
  missing: "missing",
  note: "note",
  checkNames: {},
};
