import type { en } from "../en";

export const about: (typeof en)["about"] = {
  running: "本服务器",
  version: "版本",
  started: "启动时间",
  checked: "检查时间",
  site: "站点地址",
  distribution: "分发地址",
  unset: "未设置",
  backup: "上次备份",
  noBackup: "本服务器没有已知的备份",
  backupFailed: "最近一次备份失败",
  again: "重新检查",
  health: "运行状况",
  healthText: "“svc doctor” 对运行中的服务器的检查结果。",
  states: { ok: "正常", note: "提示", warning: "警告", problem: "问题" },
  links: "链接",
  reference: "接口文档",
  start: "公开首页",
};
