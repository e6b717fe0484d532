/** The clients of a machine, from memory. */
const entry = (file, keys, value, isItem = false) => ({ file, keys, value, isItem });
const server = { command: "/home/you/.local/bin/handrail", args: ["mcp", "--state", "/home/you/.local/state/handrail"] };

export function clients() {
  const known = new Map(
    [
      { name: "claude", title: "Claude Code", found: true, hooks: "off", cage: "full", otherServers: ["github", "postgres"], tried: true, edits: [entry("/home/you/.claude.json", ["mcpServers", "handrail"], { type: "stdio", ...server }), entry("/home/you/.claude/settings.json", ["permissions", "allow"], "mcp__handrail", true)] },
      { name: "codex", title: "Codex", found: true, hooks: "off", cage: "full", tried: true, edits: [entry("/home/you/.codex/config.toml", ["mcp_servers", "handrail"], server)] },
      { name: "vscode", title: "VS Code", found: true, note: "It asks about our tools itself, too, until you allow them in its settings.", edits: [entry("/home/you/.config/Code/User/mcp.json", ["servers", "handrail"], server)] },
      { name: "gemini", title: "Gemini CLI", found: true, tried: true, trouble: "/home/you/.gemini/settings.json isn't valid JSON: line 3: a value is missing." },
      { name: "cline", title: "Cline", edits: [entry("/home/you/.config/Code/User/cline_mcp_settings.json", ["mcpServers", "handrail"], server)] },
    ].map((one) => [one.name, { found: false, connected: false, hooks: "unsupported", cage: "unsupported", otherServers: [], moved: [], tried: false, note: "", trouble: "", edits: [], shown: `digest of ${one.name}`, ...one }]),
  );

  const offer = {
    digest: "digest of the offer",
    place: "npx -y @modelcontextprotocol/server-github",
    diff: "--- accepted/search\n+++ offered/search\n@@ -0,0 +1,3 @@\n+tool search\n+  runs without asking: yes\n+  │ Search for issues.",
    accepted: ["create_issue", "search"],
    withoutAsking: ["search"],
  };

  /** One of a client's other servers: inspected, or moved as shown. */
  function moved(client, name, what, body) {
    if (!client?.otherServers.includes(name)) return undefined;
    if (what === "look") return offer;
    if (body.digest !== offer.digest) return undefined;
    client.otherServers = client.otherServers.filter((one) => one !== name);
    client.moved = [...client.moved, { name, keptIn: "keyring", asksAlways: body.askAlways }];
    return { client };
  }

  function answer(method, path, body) {
    if (path === "/clients") return { clients: [...known.values()], command: "/home/you/.local/bin/handrail mcp --state /home/you/.local/state/handrail --project /home/you/my-webgal-game" };
    const [, of, server, step] = /^\/clients\/([^/]+)\/servers\/([^/]+)\/(look|move)$/.exec(path) ?? [];
    if (of) return moved(known.get(of), server, step, body);
    const [, name, what] = /^\/clients\/([^/]+)\/(connect|disconnect)$/.exec(path) ?? [];
    const client = known.get(name);
    if (!client || method !== "POST" || (what === "connect" && body.shown !== client.shown)) return undefined;
    Object.assign(client, { connected: what === "connect", hooks: client.hooks === "unsupported" ? "unsupported" : what === "connect" ? "on" : "off" });
    return what === "connect" ? { client, tools: 61, project: "/home/you/my-webgal-game", runsHooks: null } : { client, left: [] };
  }
  return { known, answer };
}
