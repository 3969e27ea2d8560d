// Texts are loaded in parts: the shared texts together with the frame, and all others together with
// their page.

import type { Texts } from "./en";

export type Language = "en" | "zh";

/** The texts of a page. */
export type PageTexts = Exclude<keyof Texts, "common" | "fields" | "frame" | "sent" | "start">;

type Loads = { shared(): Promise<Omit<Texts, PageTexts>> } & { [Name in PageTexts]: () => Promise<Pick<Texts, Name>> };

export const loads: Record<Language, Loads> = {
  en: {
    shared: () => import("./en/shared"),
    about: () => import("./en/about"),
    announcements: () => import("./en/announcements"),
    assets: () => import("./en/assets"),
    charts: () => import("./en/charts"),
    codehost: () => import("./en/codehost"),
    distribution: () => import("./en/distribution"),
    events: () => import("./en/events"),
    feedbacks: () => import("./en/feedbacks"),
    feeds: () => import("./en/feeds"),
    files: () => import("./en/files"),
    hooks: () => import("./en/hooks"),
    logs: () => import("./en/logs"),
    operations: () => import("./en/operations"),
    overview: () => import("./en/overview"),
    projects: () => import("./en/projects"),
    rollouts: () => import("./en/rollouts"),
    settings: () => import("./en/settings"),
    statistics: () => import("./en/statistics"),
    today: () => import("./en/today"),
    tokens: () => import("./en/tokens"),
    versions: () => import("./en/versions"),
  },
  zh: {
    shared: () => import("./zh/shared"),
    about: () => import("./zh/about"),
    announcements: () => import("./zh/announcements"),
    assets: () => import("./zh/assets"),
    charts: () => import("./zh/charts"),
    codehost: () => import("./zh/codehost"),
    distribution: () => import("./zh/distribution"),
    events: () => import("./zh/events"),
    feedbacks: () => import("./zh/feedbacks"),
    feeds: () => import("./zh/feeds"),
    files: () => import("./zh/files"),
    hooks: () => import("./zh/hooks"),
    logs: () => import("./zh/logs"),
    operations: () => import("./zh/operations"),
    overview: () => import("./zh/overview"),
    projects: () => import("./zh/projects"),
    rollouts: () => import("./zh/rollouts"),
    settings: () => import("./zh/settings"),
    statistics: () => import("./zh/statistics"),
    today: () => import("./zh/today"),
    tokens: () => import("./zh/tokens"),
    versions: () => import("./zh/versions"),
  },
};
