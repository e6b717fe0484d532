import { useEffect, useState } from "preact/hooks";
import { announcement, texts } from "../store";
import { Icon } from "./Icon";
import { Visible } from "./Visible";

const TOLD_MS = 1600;

/** Code that is displayed with its invisible characters spelled out, but copied as it was written. */
export function CodeBlock({ text, language }: { text: string; language: string }) {
  const t = texts.value;
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const telling = setTimeout(() => setIsCopied(false), TOLD_MS);
    return () => clearTimeout(telling);
  }, [isCopied]);

  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(text);
    setIsCopied(true);
    announcement.value = t.copied;
  }

  return (
    <div class="code-block">
      <div class="code-bar">
        <span>{language ? <Visible text={language} /> : t.codeBlock}</span>
        <button type="button" aria-label={t.copy} title={isCopied ? t.copied : t.copy} onClick={() => void copy().catch(() => undefined)}><Icon name={isCopied ? "done" : "copy"} /></button>
      </div>
      <pre tabIndex={0}><code><Visible text={text} /></code></pre>
    </div>
  );
}
