import type { en } from "../en";

const units: Record<string, string> = { no_file: "次", must_update: "次", feedback_waiting: "条" };

export const today: (typeof en)["today"] = {
  asOf: (time) => `截至 ${time}`,
  nothing: "没有需要处理的事项。",
  list: "需要处理的事项",
  figure: (kind, number) => `${number} ${units[kind] ?? "个"}`,
  sentences: {
    no_file: (version) => `更新检查（七天内）来自必须更新、但目标版本没有可安装文件的客户端，多数须更新到 ${version}`,
    must_update: (version) => `更新检查（七天内）来自必须更新的客户端，多数须更新到 ${version}`,
    errors: (times, since) => `错误（24 小时内），是平时的 ${times} 倍，自 ${since} 起`,
    firstErrors: (since) => `错误（24 小时内），平时没有，自 ${since} 起`,
    regressed_errors: (count, title) =>
      count === 1 ? `已解决的错误在 24 小时内再次出现：${title}` : `已解决的错误在 24 小时内再次出现，最多的是 ${title}`,
    new_errors: (count, title) => (count === 1 ? `新错误（24 小时内）：${title}` : `新错误（24 小时内），最多的是 ${title}`),
    feedback_waiting: (_count, oneStar) => `反馈待回复${oneStar === "0" ? "" : `，其中 ${oneStar} 条只有一星`}`,
    no_version: "已发布的版本，应用还找不到更新",
    adoption: (version, days) => `的更新检查来自 ${version}，${days === 0 ? "今天刚发布" : `发布已 ${days} 天`}`,
    announcement_ends: (title, until) => `“${title}”即将结束：显示至 ${until}`,
    announcement_endsFor: (title, until, versions) => `“${title}”即将结束：向 ${versions} 显示至 ${until}`,
    no_backup: (since) => `此服务器最近一次备份（${since}）`,
    neverBackup: "已完成的备份，尽管已安排备份",
  },
  actions: {
    no_file: "添加文件",
    must_update: "查看版本",
    regressed_errors: "查看再现的错误",
    errors: "查看错误",
    new_errors: "查看新错误",
    feedback_waiting: "查看反馈",
    no_version: "发布版本",
    adoption: "查看统计",
    announcement_ends: "查看公告",
    no_backup: "查看服务器",
  },
};
