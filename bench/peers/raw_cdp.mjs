// The protocol itself: one message to the page and back, nothing around it.
import { createInterface } from "node:readline";

const [target] = (await (await fetch(`${process.argv[2]}/json/list`)).json()).filter((one) => one.type === "page");
const socket = new WebSocket(target.webSocketDebuggerUrl);
await new Promise((resolve, reject) => {
  socket.onopen = resolve;
  socket.onerror = reject;
});
let answered;
socket.onmessage = ({ data }) => answered(data);

let id = 0;
for await (const _ of createInterface({ input: process.stdin })) {
  const started = performance.now();
  await new Promise((resolve) => {
    answered = resolve;
    socket.send(JSON.stringify({ id: ++id, method: "Runtime.evaluate", params: { expression: "1" } }));
  });
  console.log(JSON.stringify({ ms: performance.now() - started, text: "" }));
}
socket.close();
