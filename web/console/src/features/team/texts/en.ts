import type { TeamTexts } from "./shape";

export const teamEn: TeamTexts = {
  title: "Machines",
  about: "Team members' own machines, connected as nodes. Their files, browsers and apps stay on them.",
  none: "No machine has joined this team. An administrator issues a token with: handrail team token add NAME --role node --owner PERSON",
  connected: "connected",
  offline: "offline",
  never: "never connected",
  owner: "owner",
  lastSeen: "last seen",
  policy: "team policy",
  current: "current",
  older: "an older version",
  version: "handrail",
  pending: (count) => (count === 1 ? "1 approval pending" : `${count} approvals pending`),
  again: "Refresh",
};
