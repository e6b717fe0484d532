/** Simulated conversations: tasks with runs, a paged record, and the server's events. */
import { randomUUID } from "node:crypto";

const PICTURED = "browser_click";
export const LONG = "01J00000000000000000000005";
export const TALK = "01J00000000000000000000006";

export function chatting({ tell, ask, record, tasks }) {
  const state = { models: [], current: "", baseUrl: "", effort: "", keys: [], runs: new Map(), turns: new Map(), subscribed: [], said: [], steered: [], uploads: new Map(), names: new Map(), thoughts: new Map(), numbers: 0, ids: 100, mute: false };

  const runOf = (taskId) => state.runs.get(taskId) ?? null;
  const turnsOf = (taskId) => state.turns.get(taskId) ?? state.turns.set(taskId, []).get(taskId);
  function event(taskId, inner) {
    if (!state.mute) tell("frontend_event", { v: 1, type: "event", id: `env-${randomUUID()}`, taskId, timestamp: Date.now(), event: { id: `evt-${randomUUID()}`, timestamp: Date.now(), ...inner } });
  }
  function add(taskId, entry) {
    const kept = { n: ++state.numbers, at: Date.now(), text: "", ...entry };
    turnsOf(taskId).push(kept);
    return kept;
  }
  function run(taskId, more) {
    const now = { status: "waiting", mode: "act", model: "script:tour", usage: { inputTokens: 0, outputTokens: 0 }, steps: 0, mostSteps: 100, mostCost: 5, ...runOf(taskId), ...more };
    now.canResume = more.canResume ?? (now.status === "paused" || now.status === "ended");
    state.runs.set(taskId, now);
    event(taskId, { type: "runStatus", ...now });
    return now;
  }
  /** A reply, piece by piece, without an end. */
  function stream(taskId, messageId, pieces, target = "") {
    for (const content of pieces) event(taskId, { type: "chatDelta", sender: "assistant", targetEventId: target, messageId, finished: false, delta: { content } });
  }
  /** The model's thoughts before its answer. */
  function think(taskId, messageId, pieces) {
    state.thoughts.set(messageId, pieces.join(""));
    for (const content of pieces) event(taskId, { type: "thinkingDelta", targetEventId: "", messageId, delta: { content } });
  }
  function finish(taskId, messageId, content, target = "") {
    add(taskId, { kind: "assistant", id: messageId, text: content, ...(state.thoughts.has(messageId) ? { thinking: state.thoughts.get(messageId) } : {}) });
    event(taskId, { type: "chatDelta", sender: "assistant", targetEventId: target, messageId, finished: true, delta: { content: "" }, content });
  }
  function tool(taskId, name, status, { executionId = `exec_${randomUUID()}`, args = {}, text = "", effect = "READ" } = {}) {
    const known = turnsOf(taskId).find((one) => one.tool?.executionId === executionId);
    if (known) Object.assign(known, { text, tool: { ...known.tool, status } });
    else add(taskId, { kind: "tool", id: executionId, text, tool: { name, arguments: args, executionId, status, effect } });
    event(taskId, { type: "toolUsed", name, actionId: executionId, status, messageId: "m", arguments: args, effect, ...(text ? { text } : {}) });
    return executionId;
  }
  function ensure(taskId, title = "") {
    const known = tasks().find((one) => one.taskId === taskId);
    if (known) return known;
    const task = { taskId, title, status: "running", createdAt: Date.now(), updatedAt: Date.now() };
    tasks().push(task);
    tell("browsing", { tasks: [task], windows: [] });
    return task;
  }

  function hear(message) {
    if (message.type === "subscribe") state.subscribed.push(message.taskId);
    if (message.type !== "user_message") return { ok: true };
    if (message.content === "refuse this") return { ok: false, error: { code: "CONFLICT", message: "The agent is at work on this task." } };
    state.said.push(message);
    ensure(message.taskId, message.content);
    if (!turnsOf(message.taskId).some((one) => one.id === message.id)) add(message.taskId, { kind: "user", id: message.id, text: message.content, ...(message.attachments ? { attachments: message.attachments.map((id) => ({ id, name: state.names.get(id) ?? id, type: "text/plain" })) } : {}) });
    if (!state.current) {
      event(message.taskId, { type: "structuredOutput", status: "error", isComplete: true, targetEventId: message.id, error: { code: "UNAVAILABLE", message: "No model is connected.", details: { retryable: false } } });
    } else {
      run(message.taskId, { status: "running", ...(message.mode ? { mode: message.mode } : {}), ...(message.model ? { model: message.model } : {}) });
    }
    return { ok: true };
  }

  /** The tasks whose title or messages contain all the words, from the one after `before` on. */
  function listed(query) {
    const words = (query.get("query") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const textOf = ({ taskId, title }) => [title, ...(state.turns.get(taskId) ?? []).map(({ text }) => text)].join("\n").toLowerCase();
    const found = tasks().filter((task) => words.length === 0 || words.every((word) => textOf(task).includes(word)));
    const from = query.get("before") ? found.findIndex(({ taskId }) => taskId === query.get("before")) + 1 : 0;
    return found.slice(from, from + Number(query.get("limit") ?? 200));
  }

  /** The server's response; undefined if the request isn't about conversations. */
  function answer(method, path, query, body) {
    if (path === "/task/list") return listed(query);
    if (path === "/agent/models") return { models: state.models, current: state.current, effort: state.effort, ...(state.baseUrl ? { baseUrl: state.baseUrl } : {}) };
    if (path === "/agent/model") {
      Object.assign(state, { current: body.model, baseUrl: body.baseUrl ?? "" });
      if (!state.models.some(({ name }) => name === body.model)) state.models.push({ name: body.model, provider: body.model.split(":")[0], hasKey: true });
      return {};
    }
    if (path === "/agent/effort") {
      state.effort = body.effort;
      return {};
    }
    if (path === "/agent/keys") {
      if (method === "DELETE") for (const model of state.models) model.hasKey = false;
      else for (const model of state.models) if (model.provider === body.provider) model.hasKey = true;
      if (method === "DELETE") state.keys = [];
      else state.keys.push(body);
      return {};
    }
    const [, taskId, verb] = /^\/agent\/task\/([^/]+)(?:\/(stop|pause|resume))?$/.exec(path) ?? [];
    if (!taskId) return path === "/task/id" ? { taskId: `01J${String(++state.ids).padStart(23, "0")}` } : undefined;
    if (verb) {
      state.steered.push(verb);
      return run(taskId, { status: { stop: "ended", pause: "paused", resume: "running" }[verb], trouble: undefined, reached: undefined });
    }
    if (method === "POST") {
      const task = ensure(taskId);
      if (body.title !== undefined) Object.assign(task, { title: body.title, updatedAt: Date.now() });
      if (body.archived !== undefined) Object.assign(task, { archived: body.archived, updatedAt: Date.now() });
      for (const [name, standard] of [["mostSteps", 100], ["mostCost", 5]]) if (body[name] !== undefined) return run(taskId, { [name]: body[name] ?? standard, reached: undefined });
      return body.mode || body.model !== undefined ? run(taskId, { ...(body.mode ? { mode: body.mode } : {}), ...(body.model ? { model: body.model } : {}) }) : { task };
    }
    if (!state.turns.has(taskId) && !tasks().some((one) => one.taskId === taskId)) return null;
    const before = Number(query.get("before") ?? Number.POSITIVE_INFINITY);
    const fits = turnsOf(taskId).filter(({ n }) => n < before);
    const entries = fits.slice(-Number(query.get("limit") ?? 200));
    return { task: tasks().find((one) => one.taskId === taskId), run: runOf(taskId), entries, ...(fits.length > entries.length ? { next: entries[0].n } : {}) };
  }

  function connectModel(name = "script:tour") {
    Object.assign(state, { current: name, models: [{ name, provider: name.split(":")[0], hasKey: true }, { name: "openai:gpt-5", provider: "openai", hasKey: true }] });
  }
  /** A task with every kind of entry, to look at. */
  function fill() {
    connectModel();
    ensure(TALK, "给海边约会写一个新场景");
    add(TALK, { kind: "user", id: "evt-1", text: "在第二章后面加一段海边约会，用现有的背景和立绘，然后给我看看效果。" });
    add(TALK, { kind: "assistant", id: "m1", text: "我先看看**现有资源**，再写场景。背景里有 `beach.jpg`，雪乃有三张立绘。\n\n| 资源 | 数量 |\n|---|---|\n| 背景 | 12 |\n| 立绘 | 31 |\n\n```\nchangeBg:beach.jpg -next;\n雪乃:海风真舒服呢;\n```" });
    tool(TALK, "list_project_resources", "success", { executionId: "exec_list", text: "12 backgrounds, 31 figures" });
    tool(TALK, PICTURED, "success", { executionId: "exec_click", args: { clickId: "3", tabId: 2 }, text: '{"changed": "scene started"}', effect: "UI_CONTROL" });
    tool(TALK, "write_to_file", "running", { executionId: "exec_write", args: { path: "game/scene/beach_date.txt" }, effect: "WRITE" });
    record({ executionId: "exec_list", tool: "list_project_resources", effect: "READ", caller: "agent", task: TALK, event: "end", ok: true, durationMs: 38 });
    record({ executionId: "exec_click", tool: PICTURED, effect: "UI_CONTROL", caller: "agent", task: TALK, target: "“开始游戏”", event: "end", ok: true, durationMs: 5, evidence: { dir: "e", sha256: { "before.png": "x", "params.json": "y" } } });
    run(TALK, { status: "running", usage: { inputTokens: 18_240, outputTokens: 1_312, cost: 0.0742 } });
  }
  /** Five thousand entries. */
  function fillLong(count = 5000) {
    ensure(LONG, "A very long task");
    for (let at = 0; at < count; at++) {
      if (at % 4 === 0) add(LONG, { kind: "user", id: `u${at}`, text: `Question ${at}` });
      else if (at % 4 === 1) add(LONG, { kind: "tool", id: `x${at}`, text: "ok", tool: { name: "read_file", arguments: { path: `file_${at}.txt` }, executionId: `x${at}`, status: "success", effect: "READ" } });
      else add(LONG, { kind: "assistant", id: `a${at}`, text: `Answer **${at}** with a list:\n\n- one\n- two\n\nand \`code\`.` });
    }
    run(LONG, { status: "waiting" });
  }
  return { state, answer, hear, event, add, run, stream, think, finish, tool, ensure, connectModel, fill, fillLong, ask };
}
