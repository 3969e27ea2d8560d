import type { en } from "../en";

export const start: (typeof en)["start"] = {
  noProject: "还没有项目",
  makeProject: "创建第一个项目",
  ci: "在 CI 中：发布版本",
  ciText: "每次发布时运行。可以重复执行：它会创建版本，或使其保持最新。",
  app: "在应用中：检查更新",
  appText: "不需要 API 密钥。",
  key: (scope) => `SVC_KEY 是具有 ${scope} 权限的 API 密钥。`,
  makeKey: "创建 API 密钥",
};
