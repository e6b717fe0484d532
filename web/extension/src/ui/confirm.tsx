/**
 * The window in which a person confirms far-reaching approvals. It accepts only real input, and only after enough time
 * to read.
 */

import { useSignal } from "@preact/signals";
import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ConfirmAnswer, ConfirmAsk } from "../protocol";
import { useArmed } from "./armed";
import { setLanguage, t, type TextKey } from "./texts";
import { ask } from "./worker_view";

const READING_MS = 1000;
const REACHES: Record<string, TextKey> = { once: "confirmOnce", task: "confirmTask", rule: "confirmRule" };
const LABELS: Record<string, TextKey> = {
  reach: "confirmReach", what: "confirmWhat", where: "confirmWhere", who: "confirmWho", until: "confirmUntil", file: "confirmFile", command: "confirmCommand",
  folder: "confirmFolder", app: "confirmApp", agent: "confirmAgent", browser: "confirmBrowser", name: "confirmName", pairing: "confirmPairing", policy: "confirmPolicy", hash: "confirmHash",
};
const TITLES: Record<string, TextKey> = { agent: "confirmAddAgent", browser: "confirmEnroll", policy: "confirmTrust", rule: "confirmRestore" };

function Confirm({ asked: question }: { asked: ConfirmAsk }) {
  const isArmed = useArmed(READING_MS);
  const isSending = useSignal(false);
  const problem = useSignal("");
  const title = useRef<HTMLHeadingElement>(null);
  // Not on a button: text typed while the window opens must not answer anything.
  useEffect(() => title.current?.focus(), []);

  async function answer(event: MouseEvent, choice: ConfirmAnswer): Promise<void> {
    const isReal = event.isTrusted && navigator.userActivation.isActive && document.hasFocus() && document.visibilityState === "visible";
    if (!isReal || isSending.value || (choice === "allow" && !isArmed)) return;
    isSending.value = true;
    const outcome = await ask({ type: "ui/answer_confirm", confirmId: question.confirmId, answer: choice });
    if (outcome.ok) window.close();
    else problem.value = outcome.message;
  }

  const key = TITLES[question.subject];
  return (
    <main>
      <p class="from"><img src="icons/32.png" alt="" width="20" height="20" /> {t("confirmFrom")}</p>
      <h1 id="question" ref={title} tabIndex={-1}>{key ? t(key) : question.title}</h1>
      <dl>{question.lines.map(({ name, value }) => <Line key={name} name={name} value={value} />)}</dl>
      {question.text && <pre tabIndex={0} aria-label={t("confirmDetails")}>{question.text}</pre>}
      {question.left > 0 && <p class="problem">{chrome.i18n.getMessage("confirmLeft", [String(question.left)])}</p>}
      {problem.value && <p class="problem" role="alert">{problem.value}</p>}
      <div class="buttons">
        <button type="button" class="danger" disabled={isSending.value} onClick={(event) => void answer(event, "deny")}>{t("confirmDeny")}</button>
        <button type="button" class="primary" disabled={!isArmed || isSending.value} onClick={(event) => void answer(event, "allow")}>{t("confirmAllow")}</button>
      </div>
    </main>
  );
}

function Line({ name, value }: { name: string; value: string }) {
  const label = LABELS[name];
  const reach = name === "reach" ? REACHES[value] : undefined;
  return <><dt>{label ? t(label) : name}</dt><dd>{reach ? <strong>{t(reach)}</strong> : value}</dd></>;
}

function Notice({ text }: { text: string }) {
  return <main><p class="from"><img src="icons/32.png" alt="" width="20" height="20" /> {t("confirmFrom")}</p><p class="problem" role="alert">{text}</p></main>;
}

async function start(): Promise<void> {
  const { confirm } = await chrome.storage.session.get<{ confirm?: ConfirmAsk }>("confirm");
  if (!confirm) return render(<Notice text={t("confirmOver")} />, document.body);
  // Chrome sets this when a program drives it; then a click in here doesn't prove that a person is present.
  if (navigator.webdriver) {
    await whenOpened(confirm.confirmId);
    await ask({ type: "ui/answer_confirm", confirmId: confirm.confirmId, answer: "automated" });
    return render(<Notice text={t("confirmAutomated")} />, document.body);
  }
  render(<Confirm asked={confirm} />, document.body);
}

/** The worker learns the window's id only a moment after the page has loaded. */
async function whenOpened(confirmId: string): Promise<void> {
  type Kept = { confirm?: ConfirmAsk & { windowId?: number } };
  const isOpened = async (): Promise<boolean> => {
    const { confirm } = await chrome.storage.session.get<Kept>("confirm");
    return confirm?.confirmId !== confirmId || confirm.windowId !== undefined;
  };
  await new Promise<void>((resolve) => {
    const look = (): void => void isOpened().then((is) => { if (is) resolve(); });
    chrome.storage.session.onChanged.addListener(look);
    look();
  });
}

setLanguage();
document.title = `${t("name")} · ${t("confirmTitle")}`;
void start();
