// Turns findings of the server into sentences in the language of the console.

import type { Finding, FindingValues } from "svc-sdk";
import { now } from "../../core/clock";
import type { Format } from "../../core/format";
import type { Texts } from "../../texts/en";

/** Values that only some servers report. */
interface Values extends FindingValues {
  title?: string;
  until?: number;
}

export interface Said {
  /** The number with which the sentence begins. It is the only one in it. */
  figure: string;
  text: string;
  /** The label of the link. */
  action: string;
}

/** Returns a time as text in the browser's time zone. The text includes the date unless that is today. */
function timeOf(seconds: number, format: Format): string {
  const at = new Date(seconds * 1000);
  const isToday = at.toDateString() === new Date(now() * 1000).toDateString();
  return isToday ? format.hour(seconds, -at.getTimezoneOffset()) : format.time(seconds);
}

/** Returns the sentence for a finding, or null for a kind that only a newer server knows. */
export function say({ kind, values }: Pick<Finding, "kind" | "values">, texts: Texts["today"], format: Format): Said | null {
  const { sentences, actions } = texts;
  const { count = 0, version = "", share = 0, days = 0, usual = 0, since, one_star: oneStar = 0, title = "", until = 0 } = values as Values;
  const said = (figure: string, text: string) => ({ figure, text, action: actions[kind as keyof typeof actions] });
  const number = texts.figure(kind, format.number(count));
  switch (kind) {
    case "no_file":
      return said(number, sentences.no_file(version));
    case "must_update":
      return said(number, sentences.must_update(version));
    case "errors": {
      const from = timeOf(since ?? 0, format);
      return said(number, usual > 0 ? sentences.errors(format.number(Math.round(count / usual)), from) : sentences.firstErrors(from));
    }
    case "regressed_errors":
      return said(number, sentences.regressed_errors(count, title));
    case "new_errors":
      return said(number, sentences.new_errors(count, title));
    case "feedback_waiting":
      return said(number, sentences.feedback_waiting(count, format.number(oneStar)));
    case "no_version":
      return said(texts.figure(kind, "0"), sentences.no_version);
    case "adoption":
      return said(format.percent(share, 0), sentences.adoption(version, days));
    case "announcement_ends":
      return said(
        format.ago(until),
        version
          ? sentences.announcement_endsFor(title, format.time(until), version)
          : sentences.announcement_ends(title, format.time(until)),
      );
    case "no_backup":
      return since
        ? said(format.ago(since), sentences.no_backup(format.time(since)))
        : said(texts.figure(kind, "0"), sentences.neverBackup);
    default:
      return null;
  }
}
