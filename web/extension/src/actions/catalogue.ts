/** The catalogue: every action that a server may ask for. */

import type { Action } from "../worker/action";
import { browserClick } from "./browser_click";
import { browserConsole } from "./browser_console";
import { browserDebuggerAttach } from "./browser_debugger_attach";
import { browserDebuggerDetach } from "./browser_debugger_detach";
import { browserDomIndex } from "./browser_dom_index";
import { browserFindText } from "./browser_find_text";
import { browserGetHtml } from "./browser_get_html";
import { browserGoBack } from "./browser_go_back";
import { browserGoForward } from "./browser_go_forward";
import { browserHover } from "./browser_hover";
import { browserNavigate } from "./browser_navigate";
import { browserPressKey } from "./browser_press_key";
import { browserReadabilityExtract } from "./browser_readability_extract";
import { browserReload } from "./browser_reload";
import { browserRequests } from "./browser_requests";
import { browserScreenshot } from "./browser_screenshot";
import { browserScroll } from "./browser_scroll";
import { browserSelectOption } from "./browser_select_option";
import { browserTabClose } from "./browser_tab_close";
import { browserTabOpen } from "./browser_tab_open";
import { browserTabSwitch } from "./browser_tab_switch";
import { browserTabs } from "./browser_tabs";
import { browserType } from "./browser_type";
import { browserUpload } from "./browser_upload";
import { browserWaitFor } from "./browser_wait_for";
import { browserWaitForLoaded } from "./browser_wait_for_loaded";
import { browserXpathScan } from "./browser_xpath_scan";
import { taskGroupUpdate } from "./task_group_update";
import { taskStart } from "./task_start";
import { taskStop } from "./task_stop";

const ALL: Action[] = [
  browserClick,
  browserConsole,
  browserDebuggerAttach,
  browserDebuggerDetach,
  browserDomIndex,
  browserFindText,
  browserGetHtml,
  browserGoBack,
  browserGoForward,
  browserHover,
  browserNavigate,
  browserPressKey,
  browserReadabilityExtract,
  browserReload,
  browserRequests,
  browserScreenshot,
  browserScroll,
  browserSelectOption,
  browserTabClose,
  browserTabOpen,
  browserTabSwitch,
  browserTabs,
  browserType,
  browserUpload,
  browserWaitFor,
  browserWaitForLoaded,
  browserXpathScan,
  taskGroupUpdate,
  taskStart,
  taskStop,
];

export const CATALOGUE: ReadonlyMap<string, Action> = new Map(ALL.map((action) => [action.name, action]));
