import { texts } from "../../store";
import { Chip } from "../../ui/Chip";
import { Facts } from "../../ui/Facts";
import { Moment } from "../../ui/Moment";
import { PageHead } from "../../ui/PageHead";
import { useLoaded } from "../../ui/useLoaded";
import { Visible } from "../../ui/Visible";
import { readMachines, type Machine } from "./actions";
import { words } from "./words";

/** The team's nodes: which machines, when each was last connected, and with which policy. */
export function Machines() {
  const t = words.value;
  const { data, error, again } = useLoaded(readMachines);
  return (
    <>
      <PageHead title={t.title}>
        <button type="button" class="plain" onClick={again}>{t.again}</button>
      </PageHead>
      <div class="page-body settings" data-scroller tabIndex={0} role="group" aria-label={t.title}>
        <p class="sub">{t.about}</p>
        {error && <p class="problem" role="alert">{error}</p>}
        {!data && !error && <p class="nothing">{texts.value.loading}</p>}
        {data?.nodes.length === 0 && <p class="nothing">{t.none}</p>}
        {data?.nodes.map((machine) => <MachineCard key={machine.name} machine={machine} policy={data.policy} />)}
      </div>
    </>
  );
}

function MachineCard({ machine, policy }: { machine: Machine; policy: string }) {
  const t = words.value;
  const [state, colour] = machine.isConnected ? [t.connected, "good"] : machine.lastSeen ? [t.offline, "bad"] : [t.never, ""];
  return (
    <section class="card machine">
      <h2 class="tags"><Visible text={machine.name} /><Chip text={state} colour={colour} />{!!machine.pending && <Chip text={t.pending(machine.pending)} />}</h2>
      <Facts
        facts={[
          [t.owner, machine.owner],
          [t.lastSeen, machine.lastSeen ? <Moment at={machine.lastSeen} /> : ""],
          [t.policy, machine.lastSeen ? (machine.policy === policy ? t.current : t.older) : ""],
          [t.version, machine.version],
        ]}
      />
    </section>
  );
}
