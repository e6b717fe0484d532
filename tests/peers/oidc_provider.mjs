// An OpenID Connect provider of its own for tests: anybody may sign in; groups come with the account's name.
import Provider from "oidc-provider";

const [port, back] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;
const groups = { ada: ["shop-admins", "other"], bo: ["shop-approvers"], carol: ["shop-admins"], dan: ["shop-approvers"], eve: ["somewhere-else"] };
const provider = new Provider(issuer, {
  clients: [{ client_id: "handrail", client_secret: "provider-secret", redirect_uris: [back], grant_types: ["authorization_code"] }],
  claims: { openid: ["sub"], profile: ["preferred_username"], groups: ["groups"], email: ["email"] },
  scopes: ["openid", "profile", "groups", "email"],
  conformIdTokenClaims: false,
  pkce: { required: () => true },
  cookies: { keys: ["tests"] },
  async findAccount(context, id) {
    return { accountId: id, claims: () => ({ sub: id, preferred_username: id, groups: groups[id] ?? [] }) };
  },
});
provider.listen(Number(port), "127.0.0.1", () => console.log("ready"));
