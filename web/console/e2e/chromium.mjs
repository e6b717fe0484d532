/**
 * The Chromium that shows pages. They need its engine and no browser around it, so that the headless shell serves them for
 * a third of the work; a campaign names the whole browser in $CHROMIUM. Extensions need that one always: WITH_EXTENSIONS.
 */
import { existsSync } from "node:fs";

export const WITH_EXTENSIONS = process.env.CHROMIUM ?? "/usr/bin/chromium";
const SHELL = "/usr/bin/chromium-headless-shell";

export const executablePath = process.env.CHROMIUM ?? (existsSync(SHELL) ? SHELL : WITH_EXTENSIONS);
export const args = process.getuid() === 0 ? ["--no-sandbox"] : [];
