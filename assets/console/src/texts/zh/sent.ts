import type { en } from "../en";

export const sent: (typeof en)["sent"] = {
  content: "内容",
  platform: "平台",
  version: "版本",
  platformVersion: "系统版本",
  time: "时间",
  ip: "IP 地址",
  country: "国家",
  localNetwork: "局域网",
  region: "省份/地区",
  city: "城市",
  userAgent: "User-Agent",
  customData: "自定义数据",
  hidden: "已隐藏",
  isHidden: "隐藏",
  id: "编号",
  showHidden: "显示已隐藏",
  hide: "隐藏",
  show: "取消隐藏",
  hiddenNow: "已隐藏",
  shownNow: "已取消隐藏",
};
