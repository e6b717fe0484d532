import type { Feature } from "../../shell/feature";
import { lazily } from "../../ui/Lazy";
import { doctorEn } from "./texts/en";
import type { DoctorTexts } from "./texts/shape";
import { doctorZh } from "./texts/zh";

export const doctor: Feature<DoctorTexts> = {
  texts: { en: doctorEn, zh: doctorZh },
  settings: [{ place: 5, View: lazily(async () => (await import("./DoctorCard")).DoctorCard) }],
};
