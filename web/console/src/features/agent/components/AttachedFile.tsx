import { useState } from "preact/hooks";
import type { Attachment } from "../logic/chat";
import { artifactUrl } from "../../browser/logic/pageView";
import { visible } from "../../../logic/visible";
import { Enlargeable } from "../../../ui/Enlargeable";
import { Icon } from "../../../ui/Icon";
import { ServerFileLink } from "../../../ui/ServerFileLink";
import { ServerImage } from "../../../ui/ServerImage";
import { Visible } from "../../../ui/Visible";

const PICTURE = /^image\/(png|jpeg|webp|gif)$/;

/** An attached file: a picture is shown, everything else can be saved. */
export function AttachedFile({ attachment: { id, name, type } }: { attachment: Attachment }) {
  const [isGone, setIsGone] = useState(false);
  const label = visible(name || id);
  if (PICTURE.test(type) && !isGone) {
    return <Enlargeable label={label}><ServerImage class="attached-picture" url={artifactUrl(id)} alt={label} onGone={() => setIsGone(true)} /></Enlargeable>;
  }
  return <ServerFileLink class="attached-file" url={artifactUrl(id)} name={name || id}><Icon name="clip" /><Visible text={name || id} /></ServerFileLink>;
}
