import { expect, test } from "vitest";
import { isLoopback, serverOrigin } from "../src/worker/server_address";

test.each([
  ["http://127.0.0.1:6006", "http://127.0.0.1:6006"],
  ["127.0.0.1:6006", "http://127.0.0.1:6006"],
  [" localhost:6006/ ", "http://localhost:6006"],
  ["http://[::1]:6006", "http://[::1]:6006"],
  ["https://handrail.example", "https://handrail.example"],
])("%j is a server at %j", (address, origin) => expect(serverOrigin(address)).toBe(origin));

test.each([
  "http://example.org", "http://localhost.evil.example:6006", "http://localhost@evil.example", "http://127.0.0.1:6006@evil.example", "http://127.0.0.1:6006/path",
  "http://localhost\n.evil.example", "ftp://localhost", "javascript://localhost", "data:text/html,x", "http://127.0.0.1:99999", "",
])("%j is refused", (address) => expect(serverOrigin(address)).toBeNull());

test("only this machine counts as local, in its own spelling", () => {
  expect(isLoopback("http://127.0.0.1:6006")).toBe(true);
  for (const origin of ["https://handrail.example", "http://localhost.evil.example", "127.0.0.1:6006", "null", ""]) expect(isLoopback(origin)).toBe(false);
});
