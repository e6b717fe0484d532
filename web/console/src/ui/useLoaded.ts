import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../shell/failure";

interface Loaded<Data> {
  data: Data | null;
  error: string;
  again: () => void;
  /** What a change has answered in place of reading again. */
  replace: (data: Data) => void;
}

/** Reads once when a page opens, and again when asked. */
export function useLoaded<Data>(read: () => Promise<Data>): Loaded<Data> {
  const [data, setData] = useState<Data | null>(null);
  const [error, setError] = useState("");
  const again = (): void => {
    setError("");
    read().then((found) => setData(() => found), (failure: unknown) => setError(messageOf(failure)));
  };
  useEffect(again, []);
  return { data, error, again, replace: (found) => setData(() => found) };
}
