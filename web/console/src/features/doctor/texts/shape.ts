export interface DoctorTexts {
  doctor: string;
  doctorWell: string;
  doctorIll: string;
  checkAgain: string;
  ok: string;
  missing: string;
  note: string;
  /** What `handrail doctor` checks, by the server's names. */
  checkNames: Readonly<Record<string, string>>;
}
