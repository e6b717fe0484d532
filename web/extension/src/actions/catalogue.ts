/** Every action that a server may ask for. */

import type { ActionName } from "../protocol";
import type { Action } from "../worker/action";
import { browserClick } from "./browser_click";
import { browserConsole } from "./browser_console";
import { browserDebuggerAttach } from "./browser_debugger_attach";
import { browserDebuggerDetach } from "./browser_debugger_detach";
import { browserDomIndex } from "./browser_dom_index";
import { browserDrag } from "./browser_drag";
import { browserFill } from "./browser_fill";
import { browserFindText } from "./browser_find_text";
import { browserGetHtml } from "./browser_get_html";
import { browserGoBack } from "./browser_go_back";
import { browserGoForward } from "./browser_go_forward";
import { browserHover } from "./browser_hover";
import { browserNavigate } from "./browser_navigate";
import { browserPage } from "./browser_page";
import { browserPdf } from "./browser_pdf";
import { browserPressKey } from "./browser_press_key";
import { browserReadabilityExtract } from "./browser_readability_extract";
import { browserReload } from "./browser_reload";
import { browserRequests } from "./browser_requests";
import { browserScreenshot } from "./browser_screenshot";
import { browserScroll } from "./browser_scroll";
import { browserSelectOption } from "./browser_select_option";
import { browserSelectText } from "./browser_select_text";
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

/** Compiles only if there is one entry for each action that the server declares. */
const ALL: { [N in ActionName]: Action<N> } = {
  browser_click: browserClick,
  browser_console: browserConsole,
  browser_debugger_attach: browserDebuggerAttach,
  browser_debugger_detach: browserDebuggerDetach,
  browser_dom_index: browserDomIndex,
  browser_drag: browserDrag,
  browser_fill: browserFill,
  browser_find_text: browserFindText,
  browser_get_html: browserGetHtml,
  browser_go_back: browserGoBack,
  browser_go_forward: browserGoForward,
  browser_hover: browserHover,
  browser_navigate: browserNavigate,
  browser_page: browserPage,
  browser_pdf: browserPdf,
  browser_press_key: browserPressKey,
  browser_readability_extract: browserReadabilityExtract,
  browser_reload: browserReload,
  browser_requests: browserRequests,
  browser_screenshot: browserScreenshot,
  browser_scroll: browserScroll,
  browser_select_option: browserSelectOption,
  browser_select_text: browserSelectText,
  browser_tab_close: browserTabClose,
  browser_tab_open: browserTabOpen,
  browser_tab_switch: browserTabSwitch,
  browser_tabs: browserTabs,
  browser_type: browserType,
  browser_upload: browserUpload,
  browser_wait_for: browserWaitFor,
  browser_wait_for_loaded: browserWaitForLoaded,
  browser_xpath_scan: browserXpathScan,
  task_group_update: taskGroupUpdate,
  task_start: taskStart,
  task_stop: taskStop,
};

export const CATALOGUE: ReadonlyMap<string, Action> = new Map(Object.entries(ALL));
