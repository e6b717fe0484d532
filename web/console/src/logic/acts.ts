/** Maps tools to a few acts that have words in every language. */

const ACTS: Record<string, Act> = {
  write_to_file: "edit", write_files: "edit", edit_file: "edit", replace_in_file: "edit", native_edit: "edit",
  make_folder: "makeFolder", move_path: "move", copy_path: "copy", delete_path: "remove", read_files: "read", read_media: "look", file_info: "look", restore_snapshot: "restore", undo_write: "undo",
  generate_character_profile: "define", execute_command: "script", native_shell: "run",
  read_file: "read", native_read: "read", list_files: "list", search_files: "search", list_project_resources: "list",
  validate_script: "check", check_game: "check", preview_scene: "preview", show_scene_graph: "check",
  browser_navigate: "open", browser_tab_open: "open", task_start: "open", browser_tab_switch: "switchTab", browser_tab_close: "closeTab",
  browser_go_back: "back", browser_go_forward: "forward", browser_reload: "reload",
  browser_click: "click", desktop_click: "click", browser_type: "type", desktop_type_text: "type",
  browser_press_key: "press", desktop_hotkey: "press", browser_select_option: "choose", browser_hover: "hover",
  browser_scroll: "scroll", browser_upload: "upload", desktop_dismiss_modal: "dismiss",
  browser_dom_index: "look", browser_readability_extract: "look", browser_screenshot: "look", browser_find_text: "look", browser_get_html: "look",
  browser_xpath_scan: "look", browser_tabs: "look", browser_console: "look", browser_requests: "look",
  browser_wait_for: "wait", browser_wait_for_loaded: "wait", desktop_wait_until: "wait",
  desktop_observe: "look", desktop_find: "look", desktop_list_modals: "look", desktop_highlight: "look",
  browser_drag: "drag", browser_fill: "fill", browser_select_text: "selectText", task_group_update: "group",
  browser_page: "look", browser_pdf: "look", desktop_ocr: "look",
  desktop_launch: "launch", desktop_clipboard: "clipboard", desktop_pointer: "point", desktop_window: "arrange", desktop_menu: "menu", desktop_set_value: "set",
  apps_call: "call", native_mcp: "call", native_fetch: "fetch", net_connect: "connect", net_publish: "publish", native_other: "use", agent_permission: "agent",
  take_changes: "take", discard_changes: "discard",
  ask_followup_question: "ask", prompt_choices: "ask", prompt_key_values: "ask", attempt_completion: "finish",
};

export type Act =
  | "edit" | "create" | "remove" | "makeFolder" | "move" | "copy" | "restore" | "undo" | "define" | "script" | "run" | "read" | "list" | "search" | "check" | "preview"
  | "open" | "switchTab" | "closeTab" | "back" | "forward" | "reload" | "click" | "type" | "press" | "choose" | "hover" | "scroll" | "upload"
  | "drag" | "fill" | "selectText" | "group" | "launch" | "clipboard" | "point" | "arrange" | "menu" | "set" | "publish"
  | "dismiss" | "look" | "wait" | "call" | "fetch" | "connect" | "use" | "agent" | "take" | "discard" | "ask" | "finish";

/** Whether it is one of handrail's own tools, which have words in every language. */
export const hasWords = (tool: string): boolean => tool in ACTS;

/** A tool of an app or of an MCP server has a dot in its name; an unknown tool counts as "use". */
export function actOf(tool: string): Act {
  return ACTS[tool] ?? (tool.includes(".") ? "call" : "use");
}

/** What a call without a target is about: a tool of an app or server is known by its name, handrail's own have words. */
export const objectOf = (tool: string): string => (tool.includes(".") ? tool : "");

const ON_ELEMENTS: readonly Act[] = ["click", "type", "press", "choose", "hover", "upload", "drag", "selectText", "point", "set"];

/** Whether its words say what kind of element it is, so that the element needs no name. */
export const isOnElement = (act: Act): boolean => ON_ELEMENTS.includes(act);

/** What is typed into a running program; undefined for a command. Rules name both by one text, which says so at its end. */
export const typedText = (command: string): string | undefined => /^(.*) \(\{"input":true\}\)$/s.exec(command)?.[1];

/** A headline has room for a command of this length. */
export const SHORT_COMMAND = 48;

/** The command, if a headline has room for it. */
export const shortCommand = (command: string): string | undefined => (command.length > 0 && command.length <= SHORT_COMMAND && !/\s\s|[\r\n]/.test(command) ? command : undefined);

/** Keys as a person writes them: `Ctrl+S`. */
export const keyNames = ({ key, keys }: Record<string, unknown> = {}): string => {
  const names = typeof key === "string" ? key.split("+") : typeof keys === "string" ? words(keys) : [];
  return names.map((name) => name.charAt(0).toUpperCase() + name.slice(1)).join("+");
};

/** The words of a list, as the server sends it. */
export function words(list: string): string[] {
  try {
    const read: unknown = JSON.parse(list);
    return Array.isArray(read) ? read.map(String) : [];
  } catch {
    return [];
  }
}

export interface Subject {
  /** The file, element, address, command or tool. */
  object: string;
  /** What the object is, such as an element's role. */
  kind?: string;
  /** The page, window, server or app that it belongs to. */
  within?: string;
  /** The call's parameters. */
  params?: Record<string, unknown>;
}

/** A part of an address that no person reads: a key or an identifier. */
const KEY = /(?<=\/)(?:(?=[^/]*\d)(?=[^/]*[a-z])(?=[^/]*[A-Z])[\w-]{16,}|[\da-f-]{24,})(?=\/|$)/g;

/** An address without its keys, for places that show the whole of it elsewhere. */
export const withoutKeys = (address: string): string => address.replace(/[?#].*/s, "").replace(KEY, "…");

/** The file's name, or the address as people say it: no scheme, no query, and of long words in its path the beginning. */
export function shortName(object: string): string {
  const address = /^https?:\/\/(.+?)\/?$/.exec(object)?.[1];
  if (!address) return object;
  const [host = "", ...path] = withoutKeys(address).replace(/\/$/, "").split("/");
  return [host, ...path.map((word) => (word.length > 24 ? `${word.slice(0, 12)}…` : word))].join("/");
}

/** Whether the short name is all of it but the scheme. */
export const isShort = (object: string): boolean => !/^https?:/.test(object) || object.replace(/^https?:\/\//, "").replace(/\/$/, "") === shortName(object);
