/** All English texts of the console, fetched when needed. */

import { chatEn } from "./features/agent/texts/en";
import { browserEn } from "./features/browser/texts/en";
import { doctorEn } from "./features/doctor/texts/en";
import { historyEn } from "./features/history/texts/en";
import { peopleEn } from "./features/people/texts/en";
import { policyEn } from "./features/policy/texts/en";
import { settingsEn } from "./features/settings/texts/en";
import { toolsEn } from "./features/tools/texts/en";
import type { Texts } from "./texts";
import { shellEn } from "./texts/en";

/** The other texts of some pages are loaded with their code. */
const pages = { chat: "Tasks", review: "Review", machines: "Machines", webgal: "WebGAL", browser: "Browser", desktop: "Desktop", apps: "Apps and servers", connect: "Connect an agent" };

export const words: Texts = {
  ...shellEn, ...peopleEn, ...historyEn, ...doctorEn, ...policyEn, ...settingsEn, ...toolsEn,
  browser: browserEn, chat: chatEn,
  pages: { ...peopleEn.pages, ...historyEn.pages, ...policyEn.pages, ...settingsEn.pages, ...toolsEn.pages, ...pages },
};
