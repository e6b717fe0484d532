/** Address and code, for people who don't pair with a click in the console. */

import { useSignal } from "@preact/signals";
import { t } from "./texts";
import { ask } from "./worker_view";

const USUAL = "http://127.0.0.1:6006";

export function PairForm({ server }: { server: string | null }) {
  const state = useSignal<"idle" | "busy" | "done">("idle");
  const problem = useSignal("");

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    state.value = "busy";
    problem.value = "";
    const answer = await ask({ type: "ui/pair", server: String(form.get("server")), code: String(form.get("code")) });
    state.value = answer.ok ? "done" : "idle";
    if (!answer.ok) problem.value = answer.message;
  }

  return (
    <form onSubmit={(event) => void submit(event as unknown as SubmitEvent)}>
      <p class="hint">{t("pairHint")}</p>
      <label>
        <span>{t("server")}</span>
        <input name="server" type="text" inputMode="url" required autocomplete="off" spellcheck={false} defaultValue={server ?? USUAL} />
      </label>
      <label>
        <span>{t("code")}</span>
        <input name="code" type="text" required autocomplete="off" spellcheck={false} class="code" aria-describedby="pair-problem" aria-invalid={problem.value !== ""} />
      </label>
      <p id="pair-problem" class="problem" role="alert">{problem.value}</p>
      <div class="buttons">
        {state.value === "done" && <p class="done" role="status">{t("paired")}</p>}
        <button type="submit" class="primary" disabled={state.value === "busy"}>{t(state.value === "busy" ? "pairing" : "pair")}</button>
      </div>
    </form>
  );
}
