/** Which page the address names, and going to another one. */

import { batch } from "@preact/signals";
import type { PageName } from "../features";
import { page, subject } from "../store";
import { pages } from "./installed";

export function readPage(): void {
  const [name = "", ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  const known = pages().find((candidate) => candidate.name === name || candidate.formerly?.includes(name));
  if (!known) return;
  if (!location.hash.startsWith("#/")) known.opened?.();
  batch(() => {
    page.value = known.name;
    subject.value = decoded(rest.join("/"));
  });
}

/** An address that somebody has mutilated shows the page all the same. */
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
