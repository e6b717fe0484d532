import { fileUrl, type Resource } from "../logic/game";
import { formatSize } from "../logic/resources";
import { openScene } from "../actions";
import { words } from "../words";
import { visible } from "../../../logic/visible";
import { Enlargeable } from "../../../ui/Enlargeable";
import { Icon } from "../../../ui/Icon";
import { ServerImage } from "../../../ui/ServerImage";
import { Visible } from "../../../ui/Visible";
import { playing, toggle, unplayable } from "../logic/playing";

export function ResourceCard({ resource }: { resource: Resource }) {
  const w = words.value;
  const { name, folder, size, uses, isUnused, path } = resource;
  const first = uses[0];
  return (
    <figure class={`asset ${isUnused ? "unused" : ""}`}>
      <Thumbnail resource={resource} />
      <figcaption>
        <span class="mono asset-name" title={visible(path)}><Visible text={name} /></span>
        <span class="sub">{visible(folder)} · {formatSize(size)}</span>
        {isUnused && <span class="chip sev-style">{w.unused}</span>}
        {first && <button type="button" class="quiet" title={`${w.namedAt} ${visible(first.path)}:${first.line}`} onClick={() => void openScene(first.path, first.line)}>{w.uses(uses.length)}</button>}
      </figcaption>
    </figure>
  );
}

function Thumbnail({ resource }: { resource: Resource }) {
  const w = words.value;
  const name = visible(resource.name);
  const url = fileUrl(resource);
  if (resource.kind === "image") {
    return <div class="thumbnail"><Enlargeable label={name}><ServerImage url={url} alt={name} /></Enlargeable></div>;
  }
  if (resource.kind !== "audio") return <div class="thumbnail"><span class="kind">{w.kinds[resource.kind]}</span></div>;
  const isPlaying = playing.value === url;
  const label = isPlaying ? w.pause(name) : w.play(name);
  return (
    <div class="thumbnail">
      <button type="button" class="play" aria-label={label} title={label} aria-pressed={isPlaying} onClick={() => toggle(url)}><Icon name={isPlaying ? "pause" : "play"} /></button>
      {unplayable.value === url && <span class="problem" role="alert">{w.cantPlay}</span>}
    </div>
  );
}
