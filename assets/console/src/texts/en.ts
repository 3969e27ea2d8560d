// All texts of the console, with a namespace for each page.

import { about } from "./en/about";
import { announcements } from "./en/announcements";
import { assets } from "./en/assets";
import { charts } from "./en/charts";
import { codehost } from "./en/codehost";
import { common } from "./en/common";
import { distribution } from "./en/distribution";
import { events } from "./en/events";
import { feedbacks } from "./en/feedbacks";
import { feeds } from "./en/feeds";
import { fields } from "./en/fields";
import { files } from "./en/files";
import { frame } from "./en/frame";
import { hooks } from "./en/hooks";
import { logs } from "./en/logs";
import { operations } from "./en/operations";
import { overview } from "./en/overview";
import { projects } from "./en/projects";
import { rollouts } from "./en/rollouts";
import { sent } from "./en/sent";
import { settings } from "./en/settings";
import { start } from "./en/start";
import { statistics } from "./en/statistics";
import { today } from "./en/today";
import { tokens } from "./en/tokens";
import { versions } from "./en/versions";

export const en = {
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

export type Texts = typeof en;
