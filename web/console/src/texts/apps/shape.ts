/** What the page of the apps has to say. */
export interface AppsTexts {
  count: (count: number) => string;
  tools: (count: number) => string;
  filter: string;
  readAgain: string;
  none: string;
  noneHint: string;
  problems: string;
  version: string;
  reachedBy: string;
  descriptor: string;
  itsTools: string;
  consents: string;
  noConsents: string;
  allTools: string;
  mayCall: string;
  void: string;
  voidHint: string;
  revoke: string;
  revokeOf: (what: string, caller: string) => string;
  revoked: string;
  lastCalls: string;
  noCalls: string;
  signIn: string;
  signedIn: string;
  signedOut: string;
  signInThere: string;
  signInAgain: string;
  signOut: string;
  sources: Record<"environment" | "store", string>;
  expires: string;
  waiting: string;
  openThere: string;
  key: string;
  newKey: string;
  keyHint: string;
  keep: string;
}
