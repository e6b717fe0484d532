/** The features of this console, once `install` was called. */

import type { Feature, FeaturePage } from "./feature";

let features: readonly Feature[] = [];

export function install(all: readonly Feature[]): void {
  features = all;
}

export const installed = (): readonly Feature[] => features;
export const pages = (): FeaturePage[] => features.flatMap((feature) => feature.pages ?? []);
