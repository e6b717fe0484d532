import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { texts } from "../store";
import { Icon } from "./Icon";
import "./picture.css";

/** A picture that opens over the whole page. While it is open, no key reaches a question behind it. */
export function Enlargeable({ label, children }: { label: string; children: ComponentChildren }) {
  const t = texts.value.browser;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" class="enlargeable" aria-label={t.enlargePicture(label)} title={t.enlarge} onClick={() => setIsOpen(true)}>{children}</button>
      {isOpen && <Enlarged label={label} close={() => setIsOpen(false)}>{children}</Enlarged>}
    </>
  );
}

export function Enlarged({ label, close, children }: { label: string; close: () => void; children: ComponentChildren }) {
  const t = texts.value.browser;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="enlarged"
      aria-label={label}
      onClose={close}
      onKeyDown={(event) => event.stopPropagation()}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <button type="button" class="enlarged-close" aria-label={t.close} title={t.close} onClick={() => dialog.current?.close()}><Icon name="remove" /></button>
      {children}
    </dialog>
  );
}
