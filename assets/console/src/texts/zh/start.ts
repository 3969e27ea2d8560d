import type { en } from "../en";

export const start: (typeof en)["start"] = {
  noProject: "还没有项目",
  makeProject: "创建第一个项目",
  ci: "在 CI 中发布版本",
  ciText: "每次发布时运行。可以重复执行：它会创建版本，或使其保持最新。",
  app: "在应用中检查更新",
  appText: "不需要 API 密钥。",
  key: (scope) => `SVC_KEY 是具有 ${scope} 权限的 API 密钥。`,
  makeKey: "创建 API 密钥",
  keyName: (project) => `${project} 的 CI`,
  keyMade: (days) => `密钥已填入上面的代码。它只显示这一次，仅限此用途，${days} 天后过期。`,
  copyKey: "复制密钥",
  waiting: { version: "正在等待第一个版本……", check: "正在等待第一次更新检查……", event: "正在等待第一个事件……" },
  arrived: { version: "已收到第一个版本", check: "已收到第一次更新检查", event: "已收到第一个事件" },
  later: { version: "第一个版本", check: "第一次更新检查", event: "第一个事件" },
};
