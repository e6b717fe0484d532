import { useEffect, useState } from "preact/hooks";
import { postJson } from "@handrail/host";
import { visible } from "../../../logic/visible";
import { messageOf } from "../../../shell/failure";
import { texts } from "../../../store";
import { Facts } from "../../../ui/Facts";

/** Passwords that a question shows as `******`: the asking program reveals them at the person's request. */
export function MaskedValues({ requestId }: { requestId: string }) {
  const t = texts.value;
  const [values, setValues] = useState<Record<string, string> | null>(null);
  useEffect(() => () => setValues(null), [requestId]);
  const [problem, setProblem] = useState("");
  const show = async () => setValues((await postJson<{ values: Record<string, string> }>(`/api/prompts/${encodeURIComponent(requestId)}/masked`, {})).values);
  return (
    <section class="masked">
      {values && <Facts facts={Object.entries(values).map(([name, value]) => [visible(name), value])} />}
      <button type="button" onClick={() => (values ? setValues(null) : void show().catch((failure: unknown) => setProblem(messageOf(failure))))}>{values ? t.hidePassword : t.showPassword}</button>
      {problem && <p class="problem" role="alert">{problem}</p>}
    </section>
  );
}
