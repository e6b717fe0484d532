export interface ShellTexts {
  navigation: string;
  skip: string;
  connection: Record<"connecting" | "online" | "offline", string>;
  loading: string;
  retry: string;
  copy: string;
  copied: string;
  codeBlock: string;
  broken: string;
  brokenHint: string;
  reload: string;
  loadMore: string;
  moreBelow: string;
  signIn: string;
  signInHint: string;
  code: string;
  codeWrong: string;
  enter: string;
  effects: Record<string, string>;
}
