import { fetchData } from "@handrail/host";

export interface Check {
  name: string;
  ok: boolean;
  detail: string;
  fix?: string | null;
  required: boolean;
}

export interface Doctor {
  ok: boolean;
  checks: Check[];
}

export const readDoctor = (): Promise<Doctor> => fetchData<Doctor>("/api/doctor");
