import { useId, useState } from "preact/hooks";
import { connectModel, providerOf } from "../actions/models";
import { chatTexts, models } from "../store";
import { fieldErrorsOf, messageOf } from "../../../shell/failure";
import { announcement } from "../../../store";
import { Field } from "../../../ui/Field";
import { Providers } from "./Providers";

/** Which model to use, its address and its key. The key field is cleared as soon as it is sent. */
export function ModelForm({ onConnected }: { onConnected?: () => void }) {
  const t = chatTexts.value;
  const listId = useId();
  const [model, setModel] = useState(models.value?.current ?? "");
  const [baseUrl, setBaseUrl] = useState(models.value?.baseUrl ?? "");
  const [key, setKey] = useState("");
  const [isSending, setIsSending] = useState(false);
  const [problem, setProblem] = useState("");
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map());
  const needsAddress = model.startsWith("openai-compatible");
  const needsKey = !model.startsWith("script:");

  async function connect(): Promise<void> {
    setProblem("");
    setRefused(new Map());
    if (!model.trim()) return setRefused(new Map([["model", t.needed]]));
    setIsSending(true);
    const keyToSend = key;
    setKey("");
    try {
      await connectModel({ model: model.trim(), baseUrl: needsAddress ? baseUrl.trim() : "", key: keyToSend });
      announcement.value = t.connected;
      onConnected?.();
    } catch (failure) {
      setRefused(fieldErrorsOf(failure));
      setProblem(messageOf(failure));
    } finally {
      setIsSending(false);
    }
  }

  return (
    <form class="model-form" onSubmit={(event) => { event.preventDefault(); void connect(); }}>
      <Providers chosen={providerOf(model)} choose={setModel} />
      <div class="field">
        <label for={`${listId}-model`}>{t.modelName}</label>
        <input id={`${listId}-model`} list={listId} value={model} autocomplete="off" spellcheck={false} aria-invalid={refused.has("model")} aria-describedby={`${listId}-hint`} onInput={(event) => setModel(event.currentTarget.value)} />
        <p class="sub" id={`${listId}-hint`}>{t.modelNameHint}</p>
        {refused.get("model") && <p class="problem">{refused.get("model")}</p>}
        <datalist id={listId}>{(models.value?.models ?? []).filter(({ provider }) => !model || provider === providerOf(model)).map(({ name }) => <option key={name} value={name} />)}</datalist>
      </div>
      {needsAddress && <Field label={t.baseUrl} value={baseUrl} onInput={setBaseUrl} description={t.baseUrlHint} problem={refused.get("baseUrl")} />}
      {needsKey && <Field label={t.key} kind="secret" value={key} onInput={setKey} description={t.keyHint} problem={refused.get("key")} />}
      {problem && <p class="problem" role="alert">{problem}</p>}
      <p class="row"><button type="submit" class="primary" disabled={isSending}>{isSending ? t.connecting : t.connect}</button></p>
    </form>
  );
}
