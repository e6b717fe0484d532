import { fetchData, postJson } from "@handrail/host";
import { useState } from "preact/hooks";
import { canUsePasskeys, makePasskey } from "../../../logic/presence";
import { browserName } from "../../browser/logic/browsers";
import { messageOf } from "../../../shell/failure";
import { texts } from "../../../store";
import { CodeBlock } from "../../../ui/CodeBlock";
import { Field } from "../../../ui/Field";
import { Moment } from "../../../ui/Moment";
import { useLoaded } from "../../../ui/useLoaded";
import { Visible } from "../../../ui/Visible";

interface PasskeyList {
  passkeys: { id: string; name: string; createdAt: string }[];
}

const readPasskeys = (): Promise<PasskeyList> => fetchData<PasskeyList>("/api/passkeys");

/** The code comes from the person's own terminal, so access to this page isn't enough to add a passkey. */
async function addPasskey(code: string): Promise<PasskeyList> {
  const { id, options } = await postJson<{ id: string; options: PublicKeyCredentialCreationOptionsJSON }>("/api/passkeys/begin", { code });
  const credential = await makePasskey(options);
  return await postJson<PasskeyList>("/api/passkeys", { id, name: browserName(navigator.userAgent) || "Passkey", credential });
}

/** The passkeys that confirm far-reaching approvals. */
export function PasskeyCard() {
  const t = texts.value.presence;
  const { data, error: unread, replace } = useLoaded(readPasskeys);
  const [code, setCode] = useState("");
  const [error, setError] = useState("");

  async function add(): Promise<void> {
    setError("");
    try {
      replace(await addPasskey(code.trim()));
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setCode("");
    }
  }

  return (
    <section class="card">
      <h2>{t.passkeys}</h2>
      <p class="sub">{t.passkeysHint}</p>
      {data && data.passkeys.length === 0 && <p class="nothing">{t.noPasskeys}</p>}
      {data && data.passkeys.length > 0 && (
        <ul class="programs">
          {data.passkeys.map(({ id, name, createdAt }) => <li key={id}><Visible text={name} /> <span class="sub"><Moment at={createdAt} /></span></li>)}
        </ul>
      )}
      {canUsePasskeys() ? (
        <form onSubmit={(event) => { event.preventDefault(); void add(); }}>
          <p class="sub">{t.getCode}</p>
          <CodeBlock text="handrail passkeys add" language="" />
          <Field label={t.code} value={code} onInput={setCode} />
          <p class="row"><button type="submit" class="plain" disabled={code.trim() === ""}>{t.add}</button></p>
        </form>
      ) : (
        <p>{t.otherAddress} <a href={`http://localhost:${location.port}/`}>{`http://localhost:${location.port}`}</a></p>
      )}
      {(error || unread) && <p class="problem" role="alert">{error || unread}</p>}
    </section>
  );
}
