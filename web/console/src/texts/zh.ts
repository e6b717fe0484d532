import type { ShellTexts } from "./shape";

export const shellZh: ShellTexts = {
  navigation: "页面",
  skip: "跳到内容",
  connection: { connecting: "正在连接…", online: "已连接", offline: "未连接，正在重试…" },
  loading: "正在加载…",
  retry: "重试",
  copy: "复制",
  copied: "已复制。",
  codeBlock: "代码",
  broken: "这里出错了",
  brokenHint: "待处理和已答复的内容都在服务器上，不在本页，不会丢失。",
  reload: "重新加载页面",
  loadMore: "加载更多",
  moreBelow: "下面还有",
  signIn: "打开控制台",
  signInHint: "运行 handrail up，它会用一次性代码打开本页；也可以在此输入代码。",
  code: "一次性代码",
  codeWrong: "代码无效，或已被使用。",
  enter: "进入",
  effects: { READ: "读取", WRITE: "写入", UI_CONTROL: "界面", EXECUTE: "执行", PROCESS_CONTROL: "进程", ASK: "询问" },
};
