/** Prompts of every kind and a few calls, for looking and for the tests. */

const context = (from, count) => Array.from({ length: count }, (_, at) => ` ;line ${from + at}`);

export const diff = [
  "--- a/game/scene/beach_date.txt",
  "+++ b/game/scene/beach_date.txt",
  "@@ -11,18 +11,20 @@",
  " changeBg:street.jpg -next;",
  "-雪乃:……;",
  "+changeBg:beach.jpg -next;",
  "+changeFigure:yukino_smile.png -left -next;",
  "+雪乃:海风真舒服呢;",
  ...context(13, 15),
  "-end;",
  "+end\u202e;",
  "",
].join("\n");

export const change = {
  kind: "file_change_confirm", title: "Write game/scene/beach_date.txt?", source: "claude-code/write_to_file",
  path: "game/scene/beach_date.txt", diff,
};
const grant = { tools: ["write_to_file"], path: "game/scene/beach_date.txt", project: "/home/you/my-webgal-game", identity: "agent:claude-code" };
const card = {
  agent: "claude-code/2.1", identity: "mcp:claude-code/2.1:uid:1000", tool: "write_to_file", effect: "WRITE", project: "/home/you/my-webgal-game",
  object: "game/scene/beach_date.txt", kind: "", within: "", reason: "", risks: ["undoable"], notes: [], changed: [], facts: [], params: [], parts: [], digest: "5f1e0c",
};
/** handrail's own approval: what a wider yes would allow comes with it. */
export const approval = {
  ...change, source: "handrail/write_to_file", message: "Write a file (WRITE)\nAsked by mcp:claude-code/2.1",
  card: { ...card, reason: "Put the date at the beach in place of the street." },
  offers: [
    { scope: "once" },
    { scope: "task", grant: { ...grant, task: "beach" }, what: "write_to_file on game/scene/beach_date.txt", where: "in my-webgal-game", who: "claude-code", until: "until the task ends" },
    { scope: "task", grant: { ...grant, path: "**/*.txt", task: "beach" }, until: "until the task ends" },
    { scope: "rule", grant, what: "write_to_file on game/scene/beach_date.txt", where: "in my-webgal-game", who: "claude-code", until: "until you remove the rule", isWide: true },
  ],
};
/** A command of the agent's own shell, with everything that is known of it. */
export const shell = {
  kind: "file_change_confirm", title: 'claude-code wants to run "npm test | tee out.txt"', source: "handrail/native_shell", command: "npm test | tee out.txt", cwd: "/home/you/my-webgal-game",
  message: "Run a command (EXECUTE)", offers: [{ scope: "once" }],
  card: {
    ...card, tool: "native_shell", effect: "EXECUTE", object: "npm test | tee out.txt", kind: "command", reason: "Run the tests and keep their output.", risks: ["code"],
    facts: [{ name: "Changes", value: "out.txt" }, { name: "Not certain", value: "npm", code: "startsUnknown" }], params: [{ name: "command", value: "npm test | tee out.txt" }], parts: [["npm", "test"], ["tee", "out.txt"]],
  },
};
/** A click whose target can't be seen. */
export const unseenClick = {
  kind: "file_change_confirm", title: 'Click button "Pay" at https://bank.example/', source: "handrail/browser_click", message: "Click (UI_CONTROL)", unseen: "Another window may cover it.", offers: [{ scope: "once" }],
  card: { ...card, tool: "browser_click", effect: "UI_CONTROL", object: "Pay", kind: "button", within: "https://bank.example/", risks: ["leaves"], unseen: { name: "", value: "", code: "covered" }, facts: [{ name: "Leads to", value: "", code: "scriptDecides" }], params: [{ name: "tabId", value: "3" }] },
};
export const command = {
  kind: "file_change_confirm", title: "Run a command?", message: "tool: execute_command\nscript: build\u200b", source: "cline",
  command: "npm run build", cwd: "/home/you/my-webgal-game", images: [{ path: "artifacts/desktop/2026-01-01/exec_1/before.png", alt: "The screen before" }],
};
export const appCall = {
  kind: "file_change_confirm", title: "Mail (com.example.mail), send_email: Sends an email.", source: "handrail/apps_call",
  message: 'Call an app (EXECUTE)\nAsked by mcp:claude-code/2.1\ndoes: Sends an email.\ngoes to: com.example.mail on the session bus\nparams.to: ["ada@example.com"]',
  consent: { app: "com.example.mail", appName: "Mail", tool: "send_email" },
  card: { ...card, tool: "apps_call", effect: "EXECUTE", object: "send_email", kind: "tool", within: "Mail", risks: [], facts: [{ name: "does", value: "Sends an email." }, { name: "goes to", value: "com.example.mail on the session bus" }], params: [{ name: "params.to", value: '["ada@example.com"]' }] },
};
export const form = {
  kind: "kv", title: "需要你补充信息", message: "请填写表单后继续。", source: "com.example.plugin:my-app",
  fields: [
    { key: "name", label: "姓名", description: "用于报告署名", placeholder: "请输入", required: true },
    { key: "about", label: "About", multiline: true, default: "two\nlines" },
    { key: "token", label: "Token", secret: true, required: true },
  ],
};
export const single = {
  kind: "choice", title: "Which branch?", message: "Choose one.", source: "main", default: "alpha",
  options: [{ value: "alpha", label: "Alpha", description: "the first" }, { value: "beta", label: "Beta" }, { value: "gamma" }],
};
export const several = {
  kind: "choice", title: "Which parts?", multiple: true, minSelections: 1, maxSelections: 2, default: ["a"],
  options: [{ value: "a", label: "A" }, { value: "b", label: "B" }, { value: "c", label: "C", description: "the last" }],
};
export const tasks = {
  kind: "task_confirm", title: "任务创建确认", message: "请确认任务列表。", source: "main",
  tasks: [
    { draftId: "t1", title: "写文档", details: "补齐 UI Prompts 协议", priority: "high", status: "todo", tags: ["docs", "ui-prompts"] },
    { draftId: "t2", title: "Test it", details: "", priority: "medium", status: "doing", tags: [] },
  ],
};
export const result = {
  kind: "result", title: "Finished", source: "claude-code",
  markdown: "## Done\n\nThe scene is **written** and `previewed`. <img src=x onerror=\"document.title='hacked'\">\n\n- one [link](https://example.org)\n- two [bad](javascript:alert(1))\n\n```\nhandrail webgal check\n```\n\n| file | lines |\n|---|---|\n| a.txt | 3 |",
};

export const samplePrompts = () => [
  [change, { runId: "run-42" }], [form, {}], [single, {}], [several, {}], [tasks, {}], [command, { caller: "gone" }], [result, {}],
];

export function sampleRecords(mock) {
  mock.state.evidence.set("exec_1/diff.patch", diff);
  const base = { executionId: "exec_1", tool: "write_to_file", effect: "WRITE", caller: "mcp claude-code/2.1", task: "beach", target: "game/scene/beach_date.txt", decision: "ask (default for WRITE)" };
  const evidence = { dir: "artifacts/workspace/2026-01-01/exec_1", sha256: { "diff.patch": "ab", "request.json": "cd", "after.png": "ef" } };
  mock.record({ ...base, executionId: "exec_0", tool: "list_files", effect: "READ", target: ".", decision: "allow (default for READ)", event: "end", ok: true, durationMs: 3.21 });
  mock.record({ ...base, event: "begin", evidence });
  mock.record({ ...base, event: "end", ok: true, durationMs: 38.4, evidence, answer: { status: "ok", by: "console" } });
  mock.record({ ...base, executionId: "exec_2", tool: "execute_command", effect: "EXECUTE", target: "build", event: "end", ok: false, outcome: "denied", error: { condition: "Declined", message: "execute_command was denied by console." }, durationMs: 8123, answer: { status: "canceled", by: "console" } });
  mock.record({ ...base, executionId: "exec_3", tool: "browser_click", effect: "UI_CONTROL", target: "localhost", event: "begin" });
}
