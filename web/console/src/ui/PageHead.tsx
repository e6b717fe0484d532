import type { ComponentChildren } from "preact";
import { connection, texts } from "../store";

export function PageHead({ title, sub, children }: { title: string; sub?: string | undefined; children?: ComponentChildren }) {
  return (
    <header class="page-head">
      <h1>{title}</h1>
      {sub && <span class="sub">{sub}</span>}
      {children && <div class="tools-row">{children}</div>}
    </header>
  );
}

export function Connection() {
  return (
    <span class={`connection ${connection.value}`} role="status">
      <i class="dot" aria-hidden="true" />
      {texts.value.connection[connection.value]}
    </span>
  );
}
