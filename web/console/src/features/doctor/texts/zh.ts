import type { DoctorTexts } from "./shape";

export const doctorZh: DoctorTexts = {
  doctor: "环境检查",
  doctorWell: "handrail 所需的一切都已就绪。",
  doctorIll: "缺少 handrail 所需的组件。",
  checkAgain: "重新检查",
  ok: "正常",
  missing: "缺少",
  note: "提示",
  checkNames: { "state directory": "状态目录", project: "项目", sandbox: "沙箱", "handrail up": "handrail up", "optional features": "可选功能", team: "团队", "shell parser": "shell 解析器", hooks: "钩子", cage: "隔离环境", "WebGAL engine": "WebGAL 引擎", "browser for previews": "预览用浏览器", servers: "MCP 服务器", record: "审计记录", "stored passwords": "已保存的密码", extension: "浏览器扩展", notifications: "通知", browsers: "已连接的浏览器", desktop: "桌面", apps: "应用" },
};
