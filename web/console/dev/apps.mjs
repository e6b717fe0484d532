/** Apps from memory: a mail app, one that wants a key, one that is signed in to in the browser, a broken one. */

const tool = (name, description, properties, required = []) => ({
  name, description, idempotent: name.startsWith("list"), parameters: { type: "object", properties, required },
});
const app = (id, name, description, auth, tools, execution) => ({
  id, name, description, version: "1.2.0", source: `/home/you/.aai/${id}/aai.json`, execution, auth: { isWaiting: false, ...auth }, tools,
});

export function apps() {
  const known = new Map([
    app("com.example.keyed", "Weather", "Tells the weather.", { type: "api_key", signedIn: false, reason: "You aren't signed in to Weather." }, [
      tool("look", "Looks out of the window.", { place: { type: "string" } }, ["place"]),
    ], { type: "http", place: "https://weather.example.com/v1" }),
    app("com.example.mail", "Mail", "Reads and sends mail.", { type: "none", signedIn: true }, [
      tool("send_email", "Sends an email.", { to: { type: "array", items: { type: "string" } }, body: { type: "string" }, password: { type: "string", writeOnly: true } }, ["to"]),
      tool("list_emails", "Lists emails.", { limit: { type: "integer", default: 20 } }),
    ], { type: "dbus", place: "com.example.mail on the session bus" }),
    app("com.example.web", "Shop", "Buys things.", { type: "oauth2", signedIn: false, reason: "You aren't signed in to Shop." }, [
      tool("buy", "Buys it.", { what: { type: "string" } }),
    ], { type: "http", place: "https://shop.example.com" }),
  ].map((one) => [one.id, one]));
  const problems = [{ source: "/home/you/.aai/com.example.broken/aai.json", field: "tools.0.name", reason: "'Send Mail' is no name of a tool, such as send_email" }];
  const given = (id, more) => ({ id, caller: "mcp:claude-code/2.1", app: "com.example.mail", appName: "Mail", tool: "list_emails", at: "2026-01-10T08:00:00+00:00", by: "console:you", valid: true, ...more });
  const revoked = new Map();
  const consents = new Map([given("aaaaaaaaaaaa", {}), given("bbbbbbbbbbbb", { tool: null, caller: "mcp:cline/3.0", valid: false })].map((one) => [one.id, one]));
  const keys = [];

  /** The server's response; undefined if the request isn't about apps. */
  function answer(method, path, body) {
    if (path === "/apps") return { apps: [...known.values()].map(({ id, name, description, source, tools }) => ({ id, name, description, source, tools })), problems };
    const consent = /^\/apps\/consents(?:\/([^/]+))?(\/restore)?$/.exec(path);
    if (consent) {
      if (method === "DELETE") revoked.set(consent[1], consents.get(consent[1])), consents.delete(consent[1]);
      if (consent[2]) consents.set(consent[1], revoked.get(consent[1]));
      return { consents: [...consents.values()] };
    }
    const [, id, what] = /^\/apps\/([^/]+)(?:\/(.+))?$/.exec(path) ?? [];
    const found = known.get(id);
    if (!found) return undefined;
    if (what === "key") {
      keys.push(body.key);
      found.auth = { type: "api_key", signedIn: true, source: "store", isWaiting: false };
    }
    if (what === "sign-in" && method === "DELETE") found.auth = { type: found.auth.type, signedIn: false, isWaiting: false };
    if (what === "sign-in" && method === "POST") {
      found.auth = { ...found.auth, isWaiting: true };
      return { address: "about:blank#signed-in" };
    }
    return found;
  }
  return { known, consents, keys, answer };
}
