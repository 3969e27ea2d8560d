import type { en } from "../en";

export const logs: (typeof en)["logs"] = {
  noun: "日志",
  level: "级别",
  levels: ["调试", "信息", "警告", "错误"],
  source: "来源",
  deviceInfo: "设备信息",
  sameHour: (platform) => `该小时内 ${platform} 的日志`,
  sameHourAnywhere: "该小时内的全部日志",
  histogram: {
    title: "日志数量趋势",
    choose: "查看该时间的日志",
    failed: "未能加载数量。",
    truncated: "仅统计最新的匹配项",
  },
  prune: {
    open: "删除日志",
    title: "删除日志",
    text: "删除同时符合以下条件的日志。删除前会先计数。",
    before: "早于此时间",
    anyLevel: "任意级别",
    anyIp: "任意地址",
    count: "计数",
    none: "没有符合条件的日志。",
    matched: (number) => `有 ${number} 条日志符合条件。`,
    delete: (number) => `删除 ${number} 条日志`,
    deleted: (number) => `已删除 ${number} 条日志`,
  },
  empty: { title: "还没有日志", text: "应用把错误和其他消息上报到这里，便于了解哪里出了什么问题。发送第一条：" },
};
