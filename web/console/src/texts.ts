/** Everything the console says, in both languages; a missing translation does not compile. */

import type { Problem } from "./logic/answers";
import type { CallState } from "./logic/calls";
import type { ParameterProblem } from "./logic/schema";

export type Language = "en" | "zh";

export interface Texts {
  pages: Record<"activity" | "prompts" | "tools" | "settings", string>;
  navigation: string;
  skip: string;
  connection: Record<"connecting" | "online" | "offline", string>;
  loading: string;
  retry: string;
  loadMore: string;
  moreBelow: string;
  signIn: string;
  signInHint: string;
  code: string;
  codeWrong: string;
  enter: string;
  // The panel
  questions: string;
  waiting: (count: number) => string;
  arrived: (title: string) => string;
  position: (at: number, total: number) => string;
  previous: string;
  next: string;
  nothingWaiting: string;
  nothingWaitingHint: string;
  later: string;
  widen: string;
  narrow: string;
  callerGone: string;
  kinds: Record<"kv" | "choice" | "task_confirm" | "file_change_confirm" | "result", string>;
  unknownKind: string;
  run: string;
  source: string;
  send: string;
  choose: string;
  confirmTasks: string;
  allowOnce: string;
  allowTask: string;
  allowRule: string;
  deny: string;
  cancel: string;
  understood: string;
  remark: string;
  remarkGiven: string;
  remarkHint: string;
  sending: string;
  sent: string;
  hidden: string;
  problems: Record<Problem | ParameterProblem, string>;
  fix: string;
  pickBetween: (min: number, max: number) => string;
  picked: (count: number) => string;
  required: string;
  secretHint: string;
  // Tasks
  tasks: string;
  task: (at: number) => string;
  addTask: string;
  removeTask: (title: string) => string;
  moveUp: string;
  moveDown: string;
  moved: (at: number, total: number) => string;
  dragHint: string;
  taskTitle: string;
  details: string;
  priority: string;
  priorities: Record<"high" | "medium" | "low", string>;
  status: string;
  statuses: Record<"todo" | "doing" | "blocked" | "done", string>;
  tags: string;
  // Changes
  file: string;
  command: string;
  cwd: string;
  change: string;
  lines: (added: number, deleted: number) => string;
  diff: string;
  unified: string;
  sideBySide: string;
  unchanged: (count: number) => string;
  openFold: (count: number) => string;
  oldLine: string;
  newLine: string;
  // Settled prompts
  outcomes: Record<"ok" | "canceled" | "timeout" | "gone", string>;
  /** The same for what is no approval. */
  replies: Record<"ok" | "canceled", string>;
  answeredElsewhere: string;
  withdrawn: string;
  goOn: string;
  by: string;
  // Prompts page
  pending: string;
  answered: string;
  noneAnswered: string;
  answer: string;
  answerGiven: string;
  asked: string;
  scopes: Record<"once" | "task" | "rule", string>;
  scope: string;
  // Activity
  search: string;
  effect: string;
  state: string;
  all: string;
  effects: Record<string, string>;
  states: Record<CallState, string>;
  noCalls: string;
  noMatches: string;
  shownOf: (shown: number, total: number) => string;
  caller: string;
  taskId: string;
  target: string;
  decision: string;
  answeredBy: string;
  started: string;
  duration: string;
  error: string;
  execution: string;
  evidence: string;
  noEvidence: string;
  undo: string;
  undoing: string;
  undone: string;
  // Tools
  filterTools: string;
  toolCount: (count: number) => string;
  deadline: string;
  idempotent: string;
  inputSchema: string;
  outputSchema: string;
  tryIt: string;
  call: string;
  calling: string;
  result: string;
  notSet: string;
  onePerLine: string;
  noParameters: string;
  tryHint: string;
  // Settings
  appearance: string;
  language: string;
  theme: string;
  themes: Record<"auto" | "light" | "dark", string>;
  automatic: string;
  notifications: string;
  notificationsHint: string;
  notificationsBlocked: string;
  policy: string;
  policyFrom: string;
  policyDefaults: string;
  noRules: string;
  rules: string;
  decisions: Record<string, string>;
  trusted: string;
  untrusted: string;
  noPolicyFile: string;
  limits: string;
  doctor: string;
  doctorWell: string;
  doctorIll: string;
  checkAgain: string;
  ok: string;
  missing: string;
  note: string;
  keyboard: string;
  keys: [string, string][];
  version: string;
  project: string;
}

const en: Texts = {
  pages: { activity: "Activity", prompts: "Questions", tools: "Tools", settings: "Settings" },
  navigation: "Pages",
  skip: "Skip to the content",
  connection: { connecting: "connecting…", online: "connected", offline: "not connected, trying again…" },
  loading: "Loading…",
  retry: "Try again",
  loadMore: "Load more",
  moreBelow: "more below",
  signIn: "Open the console",
  signInHint: "Start handrail up: it opens this page with a one-time code. Or enter the code here.",
  code: "One-time code",
  codeWrong: "This code is not valid, or it was used already.",
  enter: "Enter",
  questions: "Questions",
  waiting: (count) => (count === 0 ? "No question is waiting" : count === 1 ? "1 question is waiting" : `${count} questions are waiting`),
  arrived: (title) => `New question: ${title}`,
  position: (at, total) => `${at} of ${total}`,
  previous: "Previous question",
  next: "Next question",
  nothingWaiting: "Nothing is waiting for you.",
  nothingWaitingHint: "When an agent needs your word, it is asked here.",
  later: "Later",
  widen: "Wider",
  narrow: "Narrower",
  callerGone: "The agent stopped waiting. A yes is kept for its next try.",
  kinds: { kv: "form", choice: "choice", task_confirm: "tasks", file_change_confirm: "approval", result: "result" },
  unknownKind: "This console does not know this kind of question.",
  run: "run",
  source: "from",
  send: "Send",
  choose: "Choose",
  confirmTasks: "Confirm",
  allowOnce: "Allow once",
  allowTask: "For this task",
  allowRule: "Always for this rule",
  deny: "Deny",
  cancel: "Cancel",
  understood: "OK",
  remark: "Remark for the agent",
  remarkGiven: "remark",
  remarkHint: "Remark for the agent (optional)",
  sending: "Sending…",
  sent: "Answered.",
  hidden: "Holds hidden characters:",
  problems: {
    required: "Please fill this in.",
    tooFew: "Please choose more.",
    tooMany: "Please choose fewer.",
    taskTitle: "A task needs a title.",
    number: "This is no fitting number.",
    json: "This is no valid JSON.",
  },
  fix: "Something is still missing.",
  pickBetween: (min, max) => (min === max ? `Choose ${min}` : `Choose ${min} to ${max}`),
  picked: (count) => `${count} chosen`,
  required: "required",
  secretHint: "Goes to the asking program alone and is never written down.",
  tasks: "Tasks",
  task: (at) => `Task ${at}`,
  addTask: "Add a task",
  removeTask: (title) => `Remove ${title}`,
  moveUp: "Move up",
  moveDown: "Move down",
  moved: (at, total) => `Moved to place ${at} of ${total}`,
  dragHint: "Drag, or press Alt and an arrow key",
  taskTitle: "Title",
  details: "Details",
  priority: "Priority",
  priorities: { high: "high", medium: "medium", low: "low" },
  status: "Status",
  statuses: { todo: "to do", doing: "doing", blocked: "blocked", done: "done" },
  tags: "Tags, with commas between",
  file: "file",
  command: "command",
  cwd: "folder",
  change: "change",
  lines: (added, deleted) => `+${added} −${deleted} lines`,
  diff: "Changes",
  unified: "One column",
  sideBySide: "Side by side",
  unchanged: (count) => (count === 1 ? "1 unchanged line" : `${count} unchanged lines`),
  openFold: (count) => `Show ${count} unchanged lines`,
  oldLine: "old line",
  newLine: "new line",
  outcomes: { ok: "allowed", canceled: "denied", timeout: "timed out", gone: "withdrawn" },
  replies: { ok: "answered", canceled: "canceled" },
  answeredElsewhere: "Answered elsewhere",
  withdrawn: "This question was withdrawn.",
  goOn: "Go on",
  by: "by",
  pending: "Waiting",
  answered: "Answered",
  noneAnswered: "Nothing was answered yet.",
  answer: "Answer",
  answerGiven: "answer",
  asked: "asked",
  scopes: { once: "once", task: "for this task", rule: "always for this rule" },
  scope: "valid",
  search: "Search tool, file, caller…",
  effect: "Effect",
  state: "State",
  all: "all",
  effects: { READ: "read", WRITE: "write", UI_CONTROL: "ui", EXECUTE: "exec", PROCESS_CONTROL: "process", ASK: "ask" },
  states: { running: "running", done: "done", failed: "failed", refused: "refused" },
  noCalls: "No agent has called a tool yet.",
  noMatches: "Nothing matches.",
  shownOf: (shown, total) => `${shown} of ${total}`,
  caller: "caller",
  taskId: "task",
  target: "target",
  decision: "decision",
  answeredBy: "answer",
  started: "started",
  duration: "duration",
  error: "error",
  execution: "execution",
  evidence: "Evidence",
  noEvidence: "A call without effect leaves no evidence.",
  undo: "Undo",
  undoing: "Undoing…",
  undone: "Undone",
  filterTools: "Filter tools…",
  toolCount: (count) => `${count} tools`,
  deadline: "deadline",
  idempotent: "can be repeated",
  inputSchema: "Input schema",
  outputSchema: "Output schema",
  tryIt: "Try it",
  call: "Call",
  calling: "Calling…",
  result: "Result",
  notSet: "not set",
  onePerLine: "one a line",
  noParameters: "This tool takes no parameters.",
  tryHint: "Goes through the same policy, approval and record as an agent's call.",
  appearance: "Appearance",
  language: "Language",
  theme: "Theme",
  themes: { auto: "as the system", light: "light", dark: "dark" },
  automatic: "as the browser",
  notifications: "Desktop notifications",
  notificationsHint: "Tell me about new questions when this page is not in front.",
  notificationsBlocked: "The browser blocks notifications of this page.",
  policy: "Policy",
  policyFrom: "From",
  policyDefaults: "When no rule matches",
  noRules: "There are no rules beyond these.",
  rules: "Rules",
  decisions: { allow: "allow", ask: "ask", deny: "deny" },
  trusted: "trusted",
  untrusted: "not trusted: it can only tighten",
  noPolicyFile: "this project has no policy of its own",
  limits: "Limits",
  doctor: "Doctor",
  doctorWell: "Everything that handrail needs is there.",
  doctorIll: "Something that handrail needs is missing.",
  checkAgain: "Check again",
  ok: "ok",
  missing: "missing",
  note: "note",
  keyboard: "Keyboard",
  keys: [
    ["Y", "say yes to the shown question, once"],
    ["N", "decline it"],
    ["Esc", "later: close the panel"],
    ["← →", "step through the waiting questions"],
    ["Q", "open the panel"],
    ["↑ ↓", "move through choices and lists"],
    ["Alt ↑ ↓", "move a task"],
    ["Ctrl Enter", "send a form from any field"],
  ],
  version: "version",
  project: "project",
};

const zh: Texts = {
  pages: { activity: "动态", prompts: "询问", tools: "工具", settings: "设置" },
  navigation: "页面",
  skip: "跳到内容",
  connection: { connecting: "正在连接…", online: "已连接", offline: "未连接，正在重试…" },
  loading: "正在加载…",
  retry: "重试",
  loadMore: "加载更多",
  moreBelow: "下面还有",
  signIn: "打开控制台",
  signInHint: "运行 handrail up，它会用一次性代码打开本页；也可以在此输入代码。",
  code: "一次性代码",
  codeWrong: "代码无效，或已被使用。",
  enter: "进入",
  questions: "询问",
  waiting: (count) => (count === 0 ? "没有待处理的询问" : `${count} 条询问待处理`),
  arrived: (title) => `新的询问：${title}`,
  position: (at, total) => `${at} / ${total}`,
  previous: "上一条",
  next: "下一条",
  nothingWaiting: "没有需要你处理的事。",
  nothingWaitingHint: "智能体需要你的答复时，会在这里询问。",
  later: "稍后",
  widen: "加宽",
  narrow: "收窄",
  callerGone: "智能体已不再等待。你的同意会留给它的下一次尝试。",
  kinds: { kv: "表单", choice: "选择", task_confirm: "任务", file_change_confirm: "审批", result: "结果" },
  unknownKind: "此控制台不认识这种询问。",
  run: "运行",
  source: "来自",
  send: "提交",
  choose: "选择",
  confirmTasks: "确认",
  allowOnce: "允许一次",
  allowTask: "本任务内允许",
  allowRule: "此规则始终允许",
  deny: "拒绝",
  cancel: "取消",
  understood: "知道了",
  remark: "给智能体的备注",
  remarkGiven: "备注",
  remarkHint: "给智能体的备注（可选）",
  sending: "正在提交…",
  sent: "已答复。",
  hidden: "含有隐藏字符：",
  problems: {
    required: "请填写此项。",
    tooFew: "请再选一些。",
    tooMany: "选得太多了。",
    taskTitle: "任务需要标题。",
    number: "不是合适的数字。",
    json: "不是有效的 JSON。",
  },
  fix: "还有内容未填。",
  pickBetween: (min, max) => (min === max ? `请选择 ${min} 项` : `请选择 ${min}–${max} 项`),
  picked: (count) => `已选 ${count} 项`,
  required: "必填",
  secretHint: "只交给提问的程序，不会写入任何记录。",
  tasks: "任务",
  task: (at) => `任务 ${at}`,
  addTask: "添加任务",
  removeTask: (title) => `删除 ${title}`,
  moveUp: "上移",
  moveDown: "下移",
  moved: (at, total) => `已移到第 ${at} 位，共 ${total} 位`,
  dragHint: "拖动，或按 Alt 加方向键",
  taskTitle: "标题",
  details: "详情",
  priority: "优先级",
  priorities: { high: "高", medium: "中", low: "低" },
  status: "状态",
  statuses: { todo: "待办", doing: "进行中", blocked: "受阻", done: "完成" },
  tags: "标签，用逗号分隔",
  file: "文件",
  command: "命令",
  cwd: "目录",
  change: "变更",
  lines: (added, deleted) => `+${added} −${deleted} 行`,
  diff: "变更内容",
  unified: "单栏",
  sideBySide: "并排",
  unchanged: (count) => `${count} 行未变`,
  openFold: (count) => `显示 ${count} 行未变内容`,
  oldLine: "旧行号",
  newLine: "新行号",
  outcomes: { ok: "已允许", canceled: "已拒绝", timeout: "已超时", gone: "已撤回" },
  replies: { ok: "已答复", canceled: "已取消" },
  answeredElsewhere: "已在别处答复",
  withdrawn: "这条询问已撤回。",
  goOn: "继续",
  by: "由",
  pending: "待处理",
  answered: "已答复",
  noneAnswered: "还没有答复过的询问。",
  answer: "答复",
  answerGiven: "答复",
  asked: "提问于",
  scopes: { once: "一次", task: "本任务内", rule: "此规则始终" },
  scope: "有效范围",
  search: "搜索工具、文件、调用者…",
  effect: "影响",
  state: "状态",
  all: "全部",
  effects: { READ: "读取", WRITE: "写入", UI_CONTROL: "界面", EXECUTE: "执行", PROCESS_CONTROL: "进程", ASK: "询问" },
  states: { running: "进行中", done: "完成", failed: "失败", refused: "被拒绝" },
  noCalls: "还没有智能体调用过工具。",
  noMatches: "没有匹配的内容。",
  shownOf: (shown, total) => `${shown} / ${total}`,
  caller: "调用者",
  taskId: "任务",
  target: "目标",
  decision: "决定",
  answeredBy: "答复",
  started: "开始于",
  duration: "用时",
  error: "错误",
  execution: "执行号",
  evidence: "证据",
  noEvidence: "没有影响的调用不留证据。",
  undo: "撤销",
  undoing: "正在撤销…",
  undone: "已撤销",
  filterTools: "筛选工具…",
  toolCount: (count) => `${count} 个工具`,
  deadline: "时限",
  idempotent: "可重复",
  inputSchema: "输入模式",
  outputSchema: "输出模式",
  tryIt: "试一试",
  call: "调用",
  calling: "正在调用…",
  result: "结果",
  notSet: "未设置",
  onePerLine: "每行一个",
  noParameters: "此工具没有参数。",
  tryHint: "与智能体的调用经过同样的策略、审批和记录。",
  appearance: "外观",
  language: "语言",
  theme: "主题",
  themes: { auto: "跟随系统", light: "浅色", dark: "深色" },
  automatic: "跟随浏览器",
  notifications: "桌面通知",
  notificationsHint: "本页不在前台时，有新的询问就通知我。",
  notificationsBlocked: "浏览器禁止了本页的通知。",
  policy: "策略",
  policyFrom: "来源",
  policyDefaults: "没有规则匹配时",
  noRules: "除此之外没有规则。",
  rules: "规则",
  decisions: { allow: "允许", ask: "询问", deny: "拒绝" },
  trusted: "已信任",
  untrusted: "未信任：只能收紧",
  noPolicyFile: "此项目没有自己的策略",
  limits: "限制",
  doctor: "自检",
  doctorWell: "handrail 所需的一切都已就绪。",
  doctorIll: "缺少 handrail 所需的东西。",
  checkAgain: "重新检查",
  ok: "正常",
  missing: "缺少",
  note: "提示",
  keyboard: "键盘",
  keys: [
    ["Y", "同意当前询问，仅一次"],
    ["N", "拒绝"],
    ["Esc", "稍后：关闭面板"],
    ["← →", "在待处理的询问之间切换"],
    ["Q", "打开面板"],
    ["↑ ↓", "在选项和列表中移动"],
    ["Alt ↑ ↓", "移动任务"],
    ["Ctrl Enter", "在任意输入框中提交表单"],
  ],
  version: "版本",
  project: "项目",
};

export const dictionaries: Record<Language, Texts> = { en, zh };
