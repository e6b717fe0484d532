import { fetchData } from "@handrail/host";
import { useEffect, useState } from "preact/hooks";
import { signIn } from "./session";
import { texts } from "../store";
import { Logo } from "./Logo";
import { InlineCode } from "../ui/InlineCode";
import { Field } from "../ui/Field";

/** Members of a team sign in on a page of their server, with a token or through its identity provider. */
async function goToTeam(): Promise<void> {
  const { tenant } = await fetchData<{ tenant?: string }>("/health");
  if (tenant) location.assign("/team/sign-in");
}

export function SignIn() {
  const t = texts.value;
  const [code, setCode] = useState("");
  const [isWrong, setIsWrong] = useState(false);

  useEffect(() => void goToTeam().catch(() => undefined), []);

  async function enter(): Promise<void> {
    setIsWrong(false);
    try {
      await signIn(code.trim());
    } catch {
      setIsWrong(true);
      setCode("");
    }
  }

  return (
    <main class="lonely">
      <form class="card sign-in" onSubmit={(event) => { event.preventDefault(); void enter(); }}>
        <Logo />
        <h1>{t.signIn}</h1>
        <p class="sub"><InlineCode text={t.signInHint} /></p>
        <Field label={t.code} value={code} onInput={setCode} kind="secret" problem={isWrong ? t.codeWrong : undefined} />
        <button type="submit" class="primary" disabled={code.trim() === ""}>{t.enter}</button>
      </form>
    </main>
  );
}
