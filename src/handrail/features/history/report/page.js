"use strict";
const root = document.documentElement;
const steps = [...document.querySelectorAll("article")];
const links = [...document.querySelectorAll("nav a")];
const by = (id) => document.getElementById(id);
const SECONDS_A_STEP = 2.5;
const SEAL = ',"hash":"';
let at = 0;
let playing = 0;

function speak(language) {
  root.dataset.lang = root.lang = language;
}

/** Shows one step; `isMoved` says that a person went there, so the focus goes along. */
function show(index, isMoved) {
  at = Math.max(0, Math.min(steps.length - 1, index));
  steps.forEach((step, number) => step.classList.toggle("current", number === at));
  links.forEach((link, number) => (number === at ? link.setAttribute("aria-current", "step") : link.removeAttribute("aria-current")));
  links[at]?.scrollIntoView({ block: "nearest" });
  by("place").textContent = steps.length ? `${at + 1} / ${steps.length}` : "";
  if (isMoved) steps[at]?.focus();
}

function play(isOn) {
  clearInterval(playing);
  playing = isOn ? setInterval(() => (at + 1 < steps.length ? show(at + 1) : play(false)), SECONDS_A_STEP * 1000) : 0;
  by("play").setAttribute("aria-pressed", String(isOn));
}

function stepwise(isOn) {
  document.body.classList.toggle("stepping", isOn);
  by("all").setAttribute("aria-pressed", String(!isOn));
}

const texts = (key) => by("proof").dataset[key].split("|");
const bytesOf = (base64) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const hashOf = async (bytes) => hex(await crypto.subtle.digest("SHA-256", bytes));

function contentOf(element) {
  if (element.localName === "img") return bytesOf(element.src.slice(element.src.indexOf(",") + 1));
  if (element.localName === "script") return bytesOf(element.textContent);
  return new TextEncoder().encode(element.textContent);
}

/** Whether the last member of a record is the hash of all before it. */
async function isSealed(element) {
  const line = element.textContent;
  const seal = line.lastIndexOf(SEAL);
  return seal > 0 && line.slice(seal) === `${SEAL}${await hashOf(new TextEncoder().encode(line.slice(0, seal)))}"}`;
}

const ESCAPE = /\\u\{[0-9a-f]+\}/g;
const plain = (text) => text.replace(ESCAPE, (spelled) => String.fromCodePoint(parseInt(spelled.slice(3, -1), 16)));

/** Whether what stands in the open, with hidden characters spelled out, says the same as the bytes. */
function saysTheSame(element) {
  const shown = element.previousElementSibling;
  return !shown?.matches("pre.spelled") || plain(shown.textContent) === plain(new TextDecoder().decode(contentOf(element)));
}

const inLines = (value) => (value !== null && typeof value === "object" ? Object.entries(value).map(([name, part]) => `${name}: ${part}`).join("\n") : String(value));

/** As `features/history/outcome.py` has it, which also names the conditions and effects. */
function statusOf({ event, ok, answer, error, effect, evidence }) {
  const { stopped, unheard, changes } = JSON.parse(by("proof").dataset.rules);
  if (event !== "end") return "interrupted";
  if (ok === true) return "done";
  if (answer?.status === "timeout") return "unanswered";
  if (answer?.status === "canceled" || stopped.includes(error?.condition)) return "denied";
  return evidence && changes.includes(effect) && unheard.includes(error?.condition) ? "unknown" : "failed";
}

/** What a step tells of its call, against the records of it; `entry` is its line in the list. */
function* untrueParts(step, entry) {
  const records = [...step.querySelectorAll("pre.record")].map((line) => JSON.parse(line.textContent));
  if (!records.length) return;
  const record = records[records.length - 1];
  for (const element of step.querySelectorAll("[data-member]")) {
    const value = element.dataset.member.split(".").reduce((part, name) => part?.[name], record);
    if (plain(element.textContent) !== plain(inLines(value))) yield element;
  }
  const status = statusOf(record);
  const began = records[0].ts;
  const told = texts(status).join("");
  for (const element of [step.querySelector("h2 i"), entry.querySelector("i")]) {
    if (element?.className !== status || element.textContent !== told) yield element ?? step;
  }
  const whole = `${began.replace("T", " ").replace(/Z$/, "")} UTC`;
  for (const [time, said] of [[step.querySelector("time"), whole], [entry.querySelector("time"), began.slice(11, 19)]]) {
    if (time?.dateTime !== began || time.textContent !== said) yield time ?? step;
  }
  const shown = new Set([...step.querySelectorAll("[data-sha256]")].map((element) => element.dataset.sha256));
  const left = Object.values(record.evidence?.sha256 ?? {}).filter((hash) => !shown.has(hash));
  if (left.length !== step.querySelectorAll(".lack").length) yield step;
}

/** Every file against the hash that a record names, every record against its own seal, every step against its record. */
async function prove() {
  const proof = by("proof");
  const say = (key, count) => {
    const [english, chinese] = texts(key);
    proof.replaceChildren(...[["en", `${count}${english}`], ["zh", `${count}${chinese}`]].map(([lang, text]) => Object.assign(document.createElement("span"), { lang, textContent: text })));
  };
  if (!globalThis.crypto?.subtle) return say("unable", "");
  const recorded = new Set();
  const wrong = [];
  let count = 0;
  for (const element of document.querySelectorAll("pre.record")) {
    count++;
    if (!(await isSealed(element))) wrong.push(element);
    for (const hash of Object.values(JSON.parse(element.textContent).evidence?.sha256 ?? {})) recorded.add(hash);
  }
  for (const element of document.querySelectorAll("[data-sha256]")) {
    count++;
    const hash = await hashOf(contentOf(element));
    if (hash !== element.dataset.sha256 || !recorded.has(hash) || !saysTheSame(element)) wrong.push(element);
  }
  steps.forEach((step, number) => wrong.push(...untrueParts(step, links[number])));
  for (const element of wrong) (element.localName === "script" ? element.parentElement : element).classList.add("changed");
  const lacking = document.querySelectorAll(".lack.missing, .lack.changed").length;
  proof.className = wrong.length || lacking ? "wrong" : "right";
  if (wrong.length) say("wrong", `${wrong.length} `);
  else if (lacking) say("lacking", `${lacking} `);
  else say("verified", `${count} `);
}

by("previous").addEventListener("click", () => show(at - 1, true));
by("next").addEventListener("click", () => show(at + 1, true));
by("play").addEventListener("click", () => play(!playing));
by("all").addEventListener("click", () => stepwise(!document.body.classList.contains("stepping")));
by("language").addEventListener("click", () => speak(root.dataset.lang === "zh" ? "en" : "zh"));
links.forEach((link, number) => link.addEventListener("click", (event) => { event.preventDefault(); play(false); show(number, true); }));
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: steps.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  play(false);
  show(to, true);
});

speak(navigator.language.startsWith("zh") ? "zh" : "en");
stepwise(true);
const wanted = /^#step-([0-9]+)$/.exec(location.hash);
show(wanted ? Number(wanted[1]) - 1 : 0);
prove().catch(() => (by("proof").className = "wrong"));
