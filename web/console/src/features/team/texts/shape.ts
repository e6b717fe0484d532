export interface TeamTexts {
  title: string;
  about: string;
  none: string;
  connected: string;
  offline: string;
  never: string;
  owner: string;
  lastSeen: string;
  policy: string;
  current: string;
  older: string;
  version: string;
  pending: (count: number) => string;
  again: string;
}
