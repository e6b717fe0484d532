import { words } from "../../webgal/texts";

export function Preview() {
  return <section class="preview" aria-label={words.value.preview} />;
}
