/** The features of this console (after `install`), limited to those of its server (after `serve`). */

import { batch, signal } from "@preact/signals";
import { page } from "../store";
import type { Feature, FeaturePage } from "./feature";

let features: readonly Feature[] = [];
const served = signal<readonly string[] | undefined>(undefined);

export function install(all: readonly Feature[]): void {
  features = all;
}

/** The server's feature names; undefined means all. A person on another feature's page is taken to the first page. */
export function serve(names: readonly string[] | undefined): void {
  batch(() => {
    served.value = names;
    const [first] = pages();
    if (first && !pages().some(({ name }) => name === page.value)) page.value = first.name;
  });
}

export const installed = (): readonly Feature[] => {
  const names = served.value;
  return features.filter(({ server, isShared }) => (names ? !server || names.includes(server) : !isShared));
};
export const pages = (): FeaturePage[] => installed().flatMap((feature) => feature.pages ?? []);
