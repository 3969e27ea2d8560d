// Short notices and their place on the screen. Their component is loaded after the first page.

import type { Texts } from "../texts/en";
import { part, usePart } from "./part";

const notices = part(() => import("./notices"));

/** Shows the notices that there are. */
export function Notices() {
  const loaded = usePart(notices, false);
  return loaded && <loaded.Notices />;
}

/** Says that something was done; `undo` takes it back. */
export function noticeDone(texts: Texts, message: string, undo?: () => void): void {
  void notices.load().then(({ showDone }) => showDone(texts, message, undo));
}

/** Says that something failed. */
export function noticeFailure(texts: Texts, error: unknown, retry?: () => void): void {
  void notices.load().then(({ showFailure }) => showFailure(texts, error, retry));
}
