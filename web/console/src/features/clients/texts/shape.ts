export interface ClientsTexts {
  title: string;
  intro: string;
  found: string;
  notFound: string;
  connected: string;
  unreadable: string;
  connect: string;
  connecting: string;
  disconnect: string;
  /** The button's name for those who don't see which row it is in. */
  connectName: (title: string) => string;
  disconnectName: (title: string) => string;
  withHooks: string;
  couldHook: string;
  toolsOnly: string;
  notTried: string;
  showOthers: (count: number) => string;
  anotherClient: string;
  anotherHint: string;
  willWrite: string;
  wasWritten: string;
  chooseOne: string;
  done: (title: string, tools: number) => string;
  restart: (title: string) => string;
  gone: (title: string) => string;
  left: (what: string) => string;
  waiting: string;
  arrived: string;
  seeCalls: string;
  otherServers: (title: string, names: string) => string;
  otherServersHint: string;
  sample: string;
  sampleHint: string;
  sampleAsk: string;
  sampleWaiting: string;
  sampleDone: string;
}
