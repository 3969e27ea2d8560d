// Short notices and the place where they appear. Their code is loaded after the first page.

import type { Texts } from "../texts/en";
import { part, usePart } from "./part";

const notices = part(() => import("./notices"));

/** Shows the current notices. */
export function Notices() {
  const loaded = usePart(notices, false);
  return loaded && <loaded.Notices />;
}

/** Reports that something was done; `undo` reverts it. */
export function noticeDone(texts: Texts, message: string, undo?: () => void): void {
  void notices.load().then(({ showDone }) => showDone(texts, message, undo));
}

/** Reports that something failed. */
export function noticeFailure(texts: Texts, error: unknown, retry?: () => void): void {
  void notices.load().then(({ showFailure }) => showFailure(texts, error, retry));
}
