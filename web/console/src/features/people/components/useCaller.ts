import type { RequestEntry } from "@handrail/host";
import { useEffect, useState } from "preact/hooks";

const LASTING_MS = 1000;

/**
 * Whether the program that asked still waits. Another state counts once it has lasted: a question is announced a moment
 * before its caller waits for it.
 */
export function useCaller({ caller = "waiting" }: RequestEntry): "waiting" | "gone" | "unknown" {
  const [lasting, setLasting] = useState<typeof caller>("waiting");
  useEffect(() => {
    if (caller === "waiting") return setLasting("waiting");
    const settling = setTimeout(() => setLasting(caller), LASTING_MS);
    return () => clearTimeout(settling);
  }, [caller]);
  return caller === "waiting" ? caller : lasting;
}
