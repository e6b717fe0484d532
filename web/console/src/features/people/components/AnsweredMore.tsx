import type { RequestEntry } from "@handrail/host";
import { Markdown } from "../../../ui/Markdown";
import { Visible } from "../../../ui/Visible";
import { cardOf } from "../logic/card";
import { ChangeDetails } from "./ChangeDetails";

/** The content of an answered question. */
export function AnsweredMore({ request }: { request: RequestEntry }) {
  const { prompt } = request;
  return (
    <>
      {prompt.message && !cardOf(request) && <p class="message"><Visible text={prompt.message} /></p>}
      {prompt.kind === "file_change_confirm" && <ChangeDetails prompt={prompt} card={cardOf(request)} />}
      {prompt.kind === "result" && prompt.markdown && <Markdown text={prompt.markdown} />}
    </>
  );
}
