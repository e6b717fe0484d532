import { fetchData } from "@handrail/host";

export interface Machine {
  name: string;
  owner: string;
  since: string;
  /** What follows is missing until it has connected once. */
  lastSeen?: string;
  isConnected?: boolean;
  policy?: string;
  version?: string;
  pending?: number;
}

export interface Machines {
  nodes: Machine[];
  /** The version that the team has now. */
  policy: string;
}

export const readMachines = (): Promise<Machines> => fetchData<Machines>("/api/nodes");
