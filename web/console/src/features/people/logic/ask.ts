/** An approval's headline. */

import type { Card, FileChangePrompt } from "@handrail/host";
import { isOnElement } from "../../../logic/acts";
import { visible } from "../../../logic/visible";
import { texts } from "../../../store";
import { actOfCard } from "./card";

/** The headline of an approval, in the person's language. */
export function askOf(card: Card, prompt: FileChangePrompt): string {
  const t = texts.value.acts;
  const act = actOfCard(card, prompt);
  const object = card.object || (prompt.path ?? "") || (isOnElement(act) ? "" : t.unnamed);
  const params = Object.fromEntries(card.params.map(({ name, value }) => [name, value]));
  return visible(t.asks[act]({ ...card, object, params }));
}
