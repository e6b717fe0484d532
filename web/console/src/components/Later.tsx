import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { texts } from "../store";

interface LaterProps {
  load: () => Promise<ComponentType>;
}

/** A page whose code is fetched when it is first looked at. What can't be fetched is told by the boundary around it. */
export function Later({ load }: LaterProps) {
  const [loaded, setLoaded] = useState<{ View: ComponentType } | { error: unknown } | null>(null);
  useEffect(() => void load().then((View) => setLoaded({ View }), (error: unknown) => setLoaded({ error })), []);
  if (loaded === null) return <p class="nothing" role="status">{texts.value.loading}</p>;
  if ("error" in loaded) throw loaded.error;
  return <loaded.View />;
}
