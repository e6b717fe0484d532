import { useEffect, useState } from "preact/hooks";
import { forgetKeys, readModels } from "../actions/models";
import { chatTexts, hasModel, models, modelTitle } from "../store";
import { messageOf } from "../../../shell/failure";
import { announcement, texts } from "../../../store";
import { ModelForm } from "./ModelForm";
import "../chat.css";

/** The chat's model, in the settings. */
export function ModelCard() {
  const t = chatTexts.value;
  const [problem, setProblem] = useState("");
  const [isAsking, setIsAsking] = useState(false);
  useEffect(() => void readModels().catch((failure: unknown) => setProblem(messageOf(failure))), []);

  async function forget(): Promise<void> {
    setIsAsking(false);
    setProblem("");
    try {
      await forgetKeys();
      announcement.value = t.forgotten;
    } catch (failure) {
      setProblem(messageOf(failure));
    }
  }

  const list = models.value;
  return (
    <section class="card" aria-label={t.model}>
      <h2>{t.model}</h2>
      {problem && <p class="problem" role="alert">{problem}</p>}
      {list && <p role="status">{hasModel.value ? t.modelWell(modelTitle(list.current)) : t.modelIll}</p>}
      {list && <ModelForm key={list.current} />}
      {list && !isAsking && <button type="button" class="quiet" onClick={() => setIsAsking(true)}>{t.forget}…</button>}
      {isAsking && (
        <div class="question">
          <p>{t.forgetSure}</p>
          <p class="row">
            <button type="button" class="primary" onClick={() => void forget()}>{t.forget}</button>
            <button type="button" class="plain" onClick={() => setIsAsking(false)}>{texts.value.cancel}</button>
          </p>
        </div>
      )}
    </section>
  );
}
