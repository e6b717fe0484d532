import type { FileChangePrompt, PromptImage, RequestEntry } from "@handrail/host";
import { useMemo, useState } from "preact/hooks";
import { imageUrl } from "../../history/logic/calls";
import { parseDiff } from "../../../logic/diff";
import { visible } from "../../../logic/visible";
import { texts } from "../../../store";
import { AnswerForm, type FurtherYes } from "./AnswerForm";
import { Diff } from "../../../ui/Diff";
import { Enlargeable } from "../../../ui/Enlargeable";
import { Facts } from "../../../ui/Facts";
import { ServerImage } from "../../../ui/ServerImage";
import { Visible } from "../../../ui/Visible";

export function ChangeForm({ request, prompt, isShown }: { request: RequestEntry; prompt: FileChangePrompt; isShown: boolean }) {
  const t = texts.value;
  const [remark, setRemark] = useState(prompt.defaultRemark ?? "");
  return (
    <AnswerForm
      request={request}
      isShown={isShown}
      yes={t.allowOnce}
      no={t.deny}
      isUnseen={prompt.unseen !== undefined}
      further={furtherYes(prompt)}
      remark={{ value: remark, set: setRemark }}
      collect={() => ({ status: "ok" })}
    >
      <ChangeDetails prompt={prompt} />
    </AnswerForm>
  );
}

/** What an app is allowed is remembered for the program that asks; everything else by a rule. */
function furtherYes({ consent }: FileChangePrompt): FurtherYes[] {
  const t = texts.value;
  const forTask: FurtherYes = { text: t.allowTask, reach: { scope: "task" } };
  if (!consent) return [forTask, { text: t.allowRule, reach: { scope: "rule" } }];
  return [
    { text: t.allowTool, reach: { scope: "rule", covers: "tool" } },
    { text: t.allowApp(visible(consent.appName)), reach: { scope: "rule", covers: "app" } },
    forTask,
  ];
}

export function ChangeDetails({ prompt }: { prompt: FileChangePrompt }) {
  const t = texts.value;
  const { path, command, cwd, diff, unseen, changed = [], images = [] } = prompt;
  const counted = useMemo(() => (diff ? parseDiff(diff) : null), [diff]);
  return (
    <>
      {unseen !== undefined && <p class="problem" role="note">{t.unseen} <Visible text={unseen} /></p>}
      {changed.length > 0 && (
        <div class="problem" role="note">
          <p>{t.changedSince}</p>
          <ul>{changed.map((line) => <li key={line}><Visible text={line} /></li>)}</ul>
        </div>
      )}
      <Facts
        facts={[
          [t.file, path],
          [t.command, command],
          [t.cwd, cwd],
          [t.change, counted && t.lines(counted.added, counted.deleted)],
        ]}
      />
      {images.map((image) => <Picture key={image.path} image={image} />)}
      {diff && <Diff text={diff} />}
    </>
  );
}

function Picture({ image }: { image: PromptImage }) {
  const url = imageUrl(image.path);
  const alt = visible(image.alt ?? image.path);
  return (
    <figure>
      {url && <Enlargeable label={alt}><ServerImage url={url} alt={alt} /></Enlargeable>}
      <figcaption class="sub"><Visible text={image.alt ?? image.path} /></figcaption>
    </figure>
  );
}
