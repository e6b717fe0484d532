/** Which page the address names, and going to another one. */

import { batch } from "@preact/signals";
import { isPanelOpen, page, PAGES, subject, type Page } from "../store";

export function readPage(): void {
  const [name = "", ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  if (name === "prompts" && !location.hash.startsWith("#/")) isPanelOpen.value = true;
  const known = PAGES.find((candidate) => candidate === name);
  if (!known) return;
  batch(() => {
    page.value = known;
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

export function goTo(target: Page, part = ""): void {
  location.hash = part ? `/${target}/${encodeURIComponent(part)}` : `/${target}`;
}
