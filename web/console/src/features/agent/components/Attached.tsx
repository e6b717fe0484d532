import { useState } from "preact/hooks";
import type { Attachment } from "../logic/chat";
import { artifactUrl } from "../../browser/logic/sight";
import { visible } from "../../../logic/visible";
import { Enlargeable } from "../../../ui/Enlargeable";
import { Icon } from "../../../ui/Icon";
import { Visible } from "../../../ui/Visible";

const PICTURE = /^image\/(png|jpeg|webp|gif)$/;

/** A file that went with the words: a picture is shown, everything else is a link to it. */
export function Attached({ attachment: { id, name, type } }: { attachment: Attachment }) {
  const [isGone, setIsGone] = useState(false);
  const label = visible(name || id);
  if (PICTURE.test(type) && !isGone) {
    return <Enlargeable label={label}><img class="attached-picture" src={artifactUrl(id)} alt={label} onError={() => setIsGone(true)} /></Enlargeable>;
  }
  return <a class="attached-file" href={artifactUrl(id)} target="_blank" rel="noopener noreferrer"><Icon name="clip" /><Visible text={name || id} /></a>;
}
