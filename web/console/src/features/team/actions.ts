import { fetchData } from "@handrail/host";

export interface Machine {
  name: string;
  owner: string;
  since: string;
  /** The following fields are missing until it has connected once. */
  lastSeen?: string;
  isConnected?: boolean;
  policy?: string;
  version?: string;
  pending?: number;
}

export interface Machines {
  nodes: Machine[];
  /** The team's current version. */
  policy: string;
}

export const readMachines = (): Promise<Machines> => fetchData<Machines>("/api/nodes");
