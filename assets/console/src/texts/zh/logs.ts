import type { en } from "../en";

export const logs: (typeof en)["logs"] = {
  noun: "日志",
  level: "级别",
  levels: ["调试", "信息", "警告", "错误"],
  source: "来源",
  deviceInfo: "设备信息",
  sameHour: (platform) => `该小时内 ${platform} 的日志`,
  sameHourAnywhere: "该小时内的全部日志",
  empty: { title: "还没有日志", text: "应用把错误和其他消息上报到这里，便于了解哪里出了什么问题。发送第一条：" },
};
