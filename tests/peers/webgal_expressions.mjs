// Computes conditions and assignments as engine 4.5.18 does, with the library that it uses: a JSON request a line in,
// a JSON answer a line out. Each is computed for several values of its variables.
import { createInterface } from "node:readline";
import angular from "angular-expressions";

const VALUES = [{ a: 1, b: 2, s: "x" }, { a: 2, b: 1, s: "Tom" }, { a: 0, b: 0, s: "" }, { a: true, b: false, s: "a b" }];

const compute = (source, scope) => {
  try {
    return { value: angular.compile(source)(scope) ?? null };
  } catch {
    return { isUnreadable: true };
  }
};
const condition = (text, values) => {
  const operands = text.split(/([+\-*\/()><!]|>=|<=|==|&&|\|\||!=)/g).map((part) => {
    const name = part.trim();
    if (!/[a-zA-Z]/.test(name) || name === "true" || name === "false") return name;
    const value = Object.hasOwn(values, name) ? values[name] : name;
    return typeof value === "string" && value !== name ? JSON.stringify(value) : value;
  });
  return compute(operands.join(""));
};
const assignment = (text, values) => {
  if (/^\s*[a-zA-Z_$][\w$]*\s*\(.*\)\s*$/.test(text)) return compute(text, { random: () => 0.5 });
  if (!/[+\-*\/()]/.test(text)) return { value: text };
  const operands = text.split(/([+\-*\/()])/g).map((part) => {
    const name = part.trim();
    if (!/^[a-zA-Z_$][a-zA-Z0-9_.]*$/.test(name)) return part;
    const value = Object.hasOwn(values, name) ? values[name] : name;
    return typeof value === "string" ? `'${value}'` : value;
  });
  return compute(operands.join(""));
};

for await (const line of createInterface({ input: process.stdin })) {
  const { what, text } = JSON.parse(line);
  const answers = VALUES.map((values) => (what === "condition" ? condition : assignment)(text, values));
  process.stdout.write(`${JSON.stringify(answers.map(({ isUnreadable }) => Boolean(isUnreadable)))}\n`);
}
