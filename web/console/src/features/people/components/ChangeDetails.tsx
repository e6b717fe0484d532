import type { FileChangePrompt, Offer, PromptImage } from "@handrail/host";
import { useMemo } from "preact/hooks";
import { imageUrl } from "../../history/logic/calls";
import { parseDiff } from "../../../logic/diff";
import { visible } from "../../../logic/visible";
import { texts } from "../../../store";
import { Diff } from "../../../ui/Diff";
import { Enlargeable } from "../../../ui/Enlargeable";
import { Facts } from "../../../ui/Facts";
import { ServerImage } from "../../../ui/ServerImage";
import { Visible } from "../../../ui/Visible";

/** Of several with one scope, only the narrowest has the plain name. */
export function labelOf(offer: Offer, offered: readonly Offer[]): string {
  const t = texts.value;
  const name = offer.scope === "task" ? t.allowTask : t.allowAlways;
  const isNarrowest = offered.find(({ scope }) => scope === offer.scope) === offer;
  return isNarrowest ? name : `${name}: ${visible(offer.grant?.path ?? offer.grant?.place ?? "")}`;
}

/** What each further yes would allow, before the click: what, where, who, until when. */
function Offers({ prompt }: { prompt: FileChangePrompt }) {
  const t = texts.value;
  const offered = (prompt.offers ?? []).filter(({ scope, grant }) => grant && scope !== "once" && !(prompt.consent && scope === "rule"));
  if (offered.length === 0) return null;
  return (
    <details class="offers">
      <summary>{t.offers}</summary>
      {offered.map((offer) => (
        <section key={labelOf(offer, offered)}>
          <h4>{labelOf(offer, offered)}</h4>
          <Facts facts={[[t.offerWhat, offer.what], [t.offerWhere, offer.where], [t.offerWho, offer.who], [t.offerUntil, offer.until]]} />
        </section>
      ))}
    </details>
  );
}

export function ChangeDetails({ prompt }: { prompt: FileChangePrompt }) {
  const t = texts.value;
  const { path, command, cwd, diff, runsLater, unseen, changed = [], images = [] } = prompt;
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
      {runsLater !== undefined && <p class="problem" role="note">{t.runsLater} <Visible text={runsLater} /></p>}
      <Offers prompt={prompt} />
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
