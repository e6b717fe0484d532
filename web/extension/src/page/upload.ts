/** Gives files to a file input as a drop would: the page gets File objects, and nothing is written to disk. */

import type { PageRequest, Target } from "./api";
import { describe } from "./description";
import { noTarget } from "./failure";
import { resolve } from "./refs";
import { checkShown } from "./element_snapshot";

const files: File[] = [];
let parts: BlobPart[] = [];

/** The input itself, its label's, the one inside, or the only one of the form or page: they are often hidden. */
function inputOf(target: Target): HTMLInputElement {
  const element = resolve(target);
  const isFile = (one: Element | null | undefined): one is HTMLInputElement => one instanceof HTMLInputElement && one.type === "file";
  if (isFile(element)) return element;
  if (element instanceof HTMLLabelElement && isFile(element.control)) return element.control;
  for (const around of [element, element.closest("form"), document]) {
    const inputs = around?.querySelectorAll<HTMLInputElement>("input[type=file]") ?? [];
    if (inputs.length === 1) return inputs[0]!;
  }
  throw noTarget(`${describe(element)} isn't a file input, and no single one belongs to it.`, { hint: "Name the <input type=file> by XPath." });
}

/** Messages have a size limit, so a file arrives in parts of base64. */
export async function acceptFile(request: PageRequest<"acceptFile">): Promise<void> {
  if (request.isFirst) {
    files.length = 0;
    parts = [];
    const input = inputOf(request.target);
    if (input.disabled) throw noTarget(`${describe(input)} is disabled.`, { disabled: true });
  }
  if (request.part) parts.push(Uint8Array.from(atob(request.part), (char) => char.charCodeAt(0)));
  if (!request.isLast) return;
  files.push(new File(parts, request.name ?? "file", { type: request.contentType ?? "application/octet-stream" }));
  parts = [];
}

export function giveFiles(request: PageRequest<"giveFiles">): string[] {
  const input = inputOf(request.target);
  checkShown(resolve(request.target), request.expected);
  if (files.length > 1 && !input.multiple) throw noTarget(`${describe(input)} takes one file, not ${files.length}.`);
  const carrier = new DataTransfer();
  for (const file of files) carrier.items.add(file);
  files.length = 0;
  input.files = carrier.files;
  input.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  input.dispatchEvent(new Event("change", { bubbles: true }));
  return [...input.files].map((file) => file.name);
}
