/** Reads the page from the address, and navigates. */

import { batch } from "@preact/signals";
import type { PageName } from "../features";
import { page, subject } from "../store";
import { pages } from "./installed";

export function readPage(): void {
  const [name = "", ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  const match = pages().find((candidate) => candidate.name === name || candidate.formerly?.includes(name));
  if (!match) return;
  if (!location.hash.startsWith("#/")) match.opened?.();
  batch(() => {
    page.value = match.name;
    subject.value = decoded(rest.join("/"));
  });
}

/** A malformed address still shows the page. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

export function goTo(target: PageName, part = ""): void {
  location.hash = part ? `/${target}/${encodeURIComponent(part)}` : `/${target}`;
}
