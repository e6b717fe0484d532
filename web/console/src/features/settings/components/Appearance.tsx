import { useState } from "preact/hooks";
import { prefer, preferences, type Theme } from "../../../preferences";
import { session, texts } from "../../../store";
import type { Language } from "../../../texts";
import { Facts } from "../../../ui/Facts";
import { Select } from "../../../ui/Field";
import { setNotifies } from "../../people/actions/notice";

export function Appearance() {
  const t = texts.value;
  const { language, theme, notifies } = preferences.value;
  const [isBlocked, setIsBlocked] = useState(false);
  const about = typeof session.value === "object" ? session.value : null;
  return (
    <section class="card">
      <h2>{t.appearance}</h2>
      <div class="choices">
        <Select
          label={t.language}
          value={language}
          options={[["auto", t.automatic], ["zh", "中文"], ["en", "English"]]}
          onChange={(chosen) => prefer({ language: chosen as Language | "auto" })}
        />
        <Select label={t.theme} value={theme} options={Object.entries(t.themes)} onChange={(chosen) => prefer({ theme: chosen as Theme })} />
      </div>
      <label class="option">
        <input
          type="checkbox"
          checked={notifies}
          onChange={(event) => {
            const input = event.currentTarget;
            void setNotifies(input.checked).then((isDone) => {
              setIsBlocked(!isDone);
              input.checked = preferences.value.notifies;
            });
          }}
        />
        <span>{t.notifications}<span class="sub">{isBlocked ? t.notificationsBlocked : t.notificationsHint}</span></span>
      </label>
      <Facts facts={[[t.version, about?.version], [t.project, about?.project]]} />
    </section>
  );
}
