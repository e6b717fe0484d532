import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../shell/failure";

interface Loaded<Data> {
  data: Data | null;
  error: string;
  again: () => void;
  /** Sets the response of a change instead of loading again. */
  replace: (data: Data) => void;
}

/** Loads once when a page opens, and again on request. */
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
