/** The list of features, the only place that names them. Within a group of the sidebar, pages are in this order. */

import type { Feature } from "./shell/feature";
// The order of these imports is the order of their styles.
import { people } from "./features/people/feature";
import { history } from "./features/history/feature";
import { browser, type BrowserWords } from "./features/browser/feature";
import { desktop, type DesktopWords } from "./features/desktop/feature";
import { apps, type AppsWords } from "./features/apps/feature";
import { agent, type AgentWords } from "./features/agent/feature";
import { clients, type ClientsWords } from "./features/clients/feature";
import { doctor } from "./features/doctor/feature";
import { notifications } from "./features/notifications/feature";
import { policy } from "./features/policy/feature";
import { review, type ReviewWords } from "./features/review/feature";
import { settings } from "./features/settings/feature";
import { team, type TeamWords } from "./features/team/feature";
import { tools } from "./features/tools/feature";
import { webgal, type WebgalWords } from "./features/webgal/feature";
import type { DoctorTexts } from "./features/doctor/texts/shape";
import type { HistoryTexts } from "./features/history/texts/shape";
import type { PeopleTexts } from "./features/people/texts/shape";
import type { PolicyTexts } from "./features/policy/texts/shape";
import type { SettingsTexts } from "./features/settings/texts/shape";
import type { ToolsTexts } from "./features/tools/texts/shape";

export type FeatureTexts = AgentWords & TeamWords & ReviewWords & ClientsWords & HistoryTexts & PeopleTexts & BrowserWords & DesktopWords & AppsWords & WebgalWords & ToolsTexts & PolicyTexts & DoctorTexts & SettingsTexts;
export type PageName = keyof FeatureTexts["pages"];

export const FEATURES: readonly Feature[] = [people, agent, history, review, policy, browser, desktop, apps, webgal, team, tools, doctor, clients, notifications, settings];
