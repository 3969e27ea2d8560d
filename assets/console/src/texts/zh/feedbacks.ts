import type { en } from "../en";

export const feedbacks: (typeof en)["feedbacks"] = {
  noun: "反馈",
  rating: "评分",
  noRating: "未评分",
  stars: (count) => `${count} 星`,
  outOf: (rating) => `${rating} 星（满分 5 星）`,
  user: "用户",
  contact: "联系方式",
  status: "处理状态",
  statuses: { open: "待处理", in_progress: "处理中", resolved: "已解决", closed: "已关闭" },
  result: "处理结果",
  resultHint: "处理的结论。离开输入框时自动保存。",
  issue: "Issue",
  issueNumber: (number) => `Issue #${number}`,
  openIssue: "在代码托管平台新建 Issue",
  issueTitle: (content) => `用户反馈：${content}`,
  answer: "处理",
  statusNow: (status) => `处理状态：${status}`,
  resultSaved: "处理结果已保存",
  issueStays: (number) => `代码托管平台上的 ${number} 会保留。`,
  empty: { title: "还没有反馈", text: "用户在应用内提交的意见会出现在这里，附带评分、平台和版本。发送第一条：" },
};
