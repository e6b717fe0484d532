import { chatTexts, models } from "../store";

/** Model providers, and whether a key is stored; choosing one fills in its first model. */
export function Providers({ chosen, choose }: { chosen: string; choose: (model: string) => void }) {
  const t = chatTexts.value;
  const offers = models.value?.models ?? [];
  const providers = [...new Set([...offers.map(({ provider }) => provider), "openai-compatible"])].filter((name) => name !== "script");
  return (
    <div class="providers" role="group" aria-label={t.providers}>
      {providers.map((provider) => {
        const its = offers.filter((offer) => offer.provider === provider);
        const [first] = its;
        const state = provider === "agent" ? t.installed : provider === "openai-compatible" ? t.ownServer : first?.hasKey ? t.hasKey : t.noKey;
        return (
          <button key={provider} type="button" class="provider" aria-pressed={chosen === provider} onClick={() => choose(first?.name ?? `${provider}:`)}>
            <b>{t.providerNames[provider] ?? provider}</b>
            <span class="sub">{state}</span>
            {its.length > 0 && <span class="sub">{t.modelCount(its.length)}</span>}
          </button>
        );
      })}
    </div>
  );
}
