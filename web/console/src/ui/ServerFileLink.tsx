import { fetchFile } from "@handrail/host";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { messageOf } from "../shell/failure";

const KEPT_MS = 60_000;

/** Downloads a server file; fetched by script, with the page's secret. */
export function ServerFileLink({ url, name, class: className, children }: { url: string; name: string; class: string; children: ComponentChildren }) {
  const [problem, setProblem] = useState("");

  async function save(): Promise<void> {
    setProblem("");
    try {
      const address = URL.createObjectURL(await fetchFile(url));
      const link = document.createElement("a");
      link.href = address;
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
    } catch (failure) {
      setProblem(messageOf(failure));
    }
  }

  return (
    <>
      <a class={className} href={url} onClick={(event) => { event.preventDefault(); void save(); }}>{children}</a>
      {problem && <span class="problem" role="alert">{problem}</span>}
    </>
  );
}
