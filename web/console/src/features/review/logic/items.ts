/** Items of a review as the server lists them, and which of them a person has chosen. */

export type Group = "tracked" | "new" | "binary" | "ignored" | "refused";
export type Status = "added" | "modified" | "deleted" | "folder" | "folder deleted" | "other";

export type ConflictKind = "base unknown" | "created" | "deleted" | "deleted by agent" | "changed" | "hunks";

export interface Item {
  path: string;
  group: Group;
  status: Status;
  digest?: string;
  added?: number;
  removed?: number;
  hunks?: number;
  size?: number;
  files?: number;
  mode?: string;
  runsLater?: string;
  refused?: string;
  conflict?: string;
  conflictKind?: ConflictKind;
  link?: string;
  renamedFrom?: string;
  notes?: string[];
}

export interface Edit {
  startOld: number;
  old: string[];
  new: string[];
}

export interface Hunk extends Edit {
  place: number;
  state: "open" | "taken" | "conflict";
  startNew: number;
  before?: string[];
  after?: string[];
  yours?: Edit[];
}

export interface ShownFile {
  path: string;
  digest: string;
  hunks: Hunk[];
  isWhole?: boolean;
  isBinary?: boolean;
  isCut?: boolean;
  conflict?: string;
  /** Both sides of a conflict in one text, for a person to edit. */
  draft?: string;
}

/** Of a file: all of it, or the hunks with these numbers. */
export type Chosen = ReadonlyMap<string, "all" | ReadonlySet<number>>;

export interface ItemToTake {
  path: string;
  digest?: string;
  hunks?: number[];
  theirs?: number[];
  content?: string;
  settled?: boolean;
}

export type Row = { kind: "group"; group: Group; count: number } | { kind: "item"; item: Item };

const ORDER: readonly Group[] = ["tracked", "new", "binary", "ignored", "refused"];

/** Headings and items as one list. */
export function rowsOf(items: readonly Item[]): Row[] {
  return ORDER.flatMap((group) => {
    const members = items.filter((item) => item.group === group);
    if (members.length === 0) return [];
    return [{ kind: "group", group, count: members.length } as Row, ...members.map((item): Row => ({ kind: "item", item }))];
  });
}

/** What a person sees first: the topmost item that isn't refused. */
export function firstPath(items: readonly Item[]): string {
  const shown = rowsOf(items).find((row) => row.kind === "item" && !row.item.refused);
  return shown?.kind === "item" ? shown.item.path : "";
}

export function isChoosable(item: Item): boolean {
  if (item.refused) return false;
  return !item.conflict || (item.hunks ?? 0) > 0;
}

export function chooseFile(chosen: Chosen, path: string, isOn: boolean): Chosen {
  const next = new Map(chosen);
  if (isOn) next.set(path, "all");
  else next.delete(path);
  return next;
}

/** Ticks or unticks one hunk; all open ones together are the whole file. */
export function chooseHunk(chosen: Chosen, file: ShownFile, place: number, isOn: boolean): Chosen {
  const open = file.hunks.filter((hunk) => hunk.state === "open").map((hunk) => hunk.place);
  const before = chosen.get(file.path);
  const places = new Set(before === "all" ? open : before);
  if (isOn) places.add(place);
  else places.delete(place);
  const next = new Map(chosen);
  if (places.size === 0) next.delete(file.path);
  else next.set(file.path, places.size === file.hunks.length ? "all" : places);
  return next;
}

export function isHunkChosen(chosen: Chosen, path: string, place: number): boolean {
  const choice = chosen.get(path);
  return choice === "all" || (choice?.has(place) ?? false);
}

/** What is sent, with the digest of what was seen. */
export function itemsToTake(chosen: Chosen, items: readonly Item[], seen: ReadonlyMap<string, string>): ItemToTake[] {
  const digests = new Map(items.map((item) => [item.path, item.digest]));
  return [...chosen].map(([path, which]) => {
    const digest = seen.get(path) ?? digests.get(path);
    return { path, ...(digest ? { digest } : {}), ...(which === "all" ? {} : { hunks: [...which].sort((a, b) => a - b) }) };
  });
}

export type Resolution = "theirs" | "mine" | { content: string };

/** What is sent about a conflict: the agent's side of all its places or of one, the person's own, or an edited file. */
export function resolutionOf(file: ShownFile, resolution: Resolution, place?: number): ItemToTake {
  const about = { path: file.path, digest: file.digest };
  if (typeof resolution === "object") return { ...about, content: resolution.content };
  if (resolution === "mine") return { ...about, hunks: [], settled: true };
  const contested = file.hunks.filter((hunk) => hunk.state === "conflict").map((hunk) => hunk.place);
  if (file.isWhole) return { ...about, theirs: [0] };
  return { ...about, hunks: [], theirs: place === undefined ? contested : [place] };
}

const UNITS = ["B", "KB", "MB", "GB", "TB"];

export function sizeOf(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}
