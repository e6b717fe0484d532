import type { TeamTexts } from "./shape";

export const teamZh: TeamTexts = {
  title: "设备",
  about: "作为节点加入本团队的个人电脑。文件、浏览器和应用都留在各自的电脑上。",
  none: "还没有设备加入本团队。管理员可用以下命令发放令牌：handrail team token add NAME --role node --owner PERSON",
  connected: "已连接",
  offline: "离线",
  never: "从未连接",
  owner: "所有者",
  lastSeen: "上次在线",
  policy: "团队策略",
  current: "最新",
  older: "旧版本",
  version: "handrail",
  pending: (count) => `${count} 项待审批`,
  again: "刷新",
};
