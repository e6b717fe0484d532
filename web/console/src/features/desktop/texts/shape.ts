/** The texts of the desktop page. */
export interface DesktopTexts {
  look: string;
  looking: string;
  window: string;
  inFront: string;
  untitled: string;
  picture: string;
  acted: string;
  stale: string;
  pictureOf: (window: string) => string;
  outline: (count: number) => string;
  pointHint: string;
  taken: string;
  app: string;
  size: string;
  cut: string;
  nothingSeen: string;
  nothingSeenHint: string;
  noOutline: string;
  state: string;
  well: (session: string) => string;
  unwell: string;
  permissions: Record<"accessibility" | "screenRecording" | "input", string>;
  granted: string;
  missing: string;
  howTo: string;
  seen: string;
}
