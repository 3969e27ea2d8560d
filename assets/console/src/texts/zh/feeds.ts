import type { en } from "../en";

export const feeds: (typeof en)["feeds"] = {
  title: "更新源",
  about: (project) => `各更新器读取的 ${project} 内容`,
  channel: "渠道",
  onlyUsed: "有版本的",
  all: "所有更新器",
  show: "显示",
  states: { ok: "正常", empty: "空", problems: "有问题" },
  latest: "最新版本的链接",
  shown: (version) => `没有分批发布密钥的调用者会看到 ${version}。`,
  nothing: "没有分批发布密钥的调用者看不到任何版本。",
  address: "地址",
  configuration: (where) => `配置：${where}`,
  left: "未列出或可改进的内容",
  of: (version, asset) => (asset ? `${version}，${asset}` : version),
  more: (count) => `还有 ${count} 项`,
  none: "此渠道还没有可提供给更新器的文件。请发布带文件的版本。",
};
