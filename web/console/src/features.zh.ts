/** All Chinese texts of the console, fetched when needed. */

import { chatZh } from "./features/agent/texts/zh";
import { browserZh } from "./features/browser/texts/zh";
import { doctorZh } from "./features/doctor/texts/zh";
import { historyZh } from "./features/history/texts/zh";
import { peopleZh } from "./features/people/texts/zh";
import { policyZh } from "./features/policy/texts/zh";
import { settingsZh } from "./features/settings/texts/zh";
import { toolsZh } from "./features/tools/texts/zh";
import type { Texts } from "./texts";
import { shellZh } from "./texts/zh";

/** The other texts of some pages are loaded with their code. */
const pages = { chat: "任务", review: "审阅", machines: "设备", webgal: "WebGAL", browser: "浏览器", desktop: "桌面", apps: "应用与服务器", connect: "连接智能体" };

export const words: Texts = {
  ...shellZh, ...peopleZh, ...historyZh, ...doctorZh, ...policyZh, ...settingsZh, ...toolsZh,
  browser: browserZh, chat: chatZh,
  pages: { ...peopleZh.pages, ...historyZh.pages, ...policyZh.pages, ...settingsZh.pages, ...toolsZh.pages, ...pages },
};
