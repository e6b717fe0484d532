import { deleteAt, fetchData, postJson } from "@handrail/host";
import { currentSubscription, subscribe } from "./worker";

export interface Channel {
  name: string;
  /** The result of its last message. */
  last: { at: string; ok: boolean; error?: string } | null;
}

export interface NotifiedBrowser {
  id: string;
  userAgent: string;
  createdAt: string;
}

export interface Notifications {
  channels: Channel[];
  /** Otherwise they are in a file that the servers are started with. */
  hasOwnChannels: boolean;
  canPush: boolean;
  browsers: NotifiedBrowser[];
  afterSeconds: number;
}

const PATH = "/api/notifications";
const channel = (name: string): string => `${PATH}/channels/${encodeURIComponent(name)}`;
const browser = (id: string): string => `${PATH}/push/${encodeURIComponent(id)}`;

export const readNotifications = (): Promise<Notifications> => fetchData<Notifications>(PATH);
export const addChannel = (name: string, url: string): Promise<Notifications> => postJson<Notifications>(`${PATH}/channels`, { name, url });
export const removeChannel = (name: string): Promise<Notifications> => deleteAt<Notifications>(channel(name));
export const tryChannel = (name: string): Promise<Notifications> => postJson<Notifications>(`${channel(name)}/test`, {});
export const tryBrowser = (id: string): Promise<Notifications> => postJson<Notifications>(`${browser(id)}/test`, {});

export async function notifyHere(): Promise<Notifications> {
  const { publicKey } = await fetchData<{ publicKey: string }>(`${PATH}/push/key`);
  const subscription = await subscribe(publicKey);
  return await postJson<Notifications>(`${PATH}/push`, subscription.toJSON());
}

export async function forgetBrowser(id: string): Promise<Notifications> {
  const own = await currentSubscription();
  if (own && (await idOf(own)) === id) await own.unsubscribe();
  return await deleteAt<Notifications>(browser(id));
}

/** The server's id of this browser's subscription; empty if there is none. */
export async function ownId(): Promise<string> {
  const own = await currentSubscription();
  return own ? await idOf(own) : "";
}

async function idOf({ endpoint }: PushSubscription): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(endpoint)));
  return [...hash.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
