// All texts of the console in Simplified Chinese. A missing text is a compile error.

import type { Texts } from "./en";
import { about } from "./zh/about";
import { announcements } from "./zh/announcements";
import { assets } from "./zh/assets";
import { charts } from "./zh/charts";
import { codehost } from "./zh/codehost";
import { common } from "./zh/common";
import { distribution } from "./zh/distribution";
import { events } from "./zh/events";
import { feedbacks } from "./zh/feedbacks";
import { feeds } from "./zh/feeds";
import { fields } from "./zh/fields";
import { files } from "./zh/files";
import { frame } from "./zh/frame";
import { hooks } from "./zh/hooks";
import { logs } from "./zh/logs";
import { operations } from "./zh/operations";
import { overview } from "./zh/overview";
import { projects } from "./zh/projects";
import { rollouts } from "./zh/rollouts";
import { sent } from "./zh/sent";
import { settings } from "./zh/settings";
import { start } from "./zh/start";
import { statistics } from "./zh/statistics";
import { today } from "./zh/today";
import { tokens } from "./zh/tokens";
import { versions } from "./zh/versions";

export const zh: Texts = {
  about,
  announcements,
  assets,
  charts,
  codehost,
  common,
  distribution,
  events,
  feedbacks,
  feeds,
  fields,
  files,
  frame,
  hooks,
  logs,
  operations,
  overview,
  projects,
  rollouts,
  sent,
  settings,
  start,
  statistics,
  today,
  tokens,
  versions,
};
