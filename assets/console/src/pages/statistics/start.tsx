// Getting started with statistics. It explains the update check, which is the source of most
// statistics.

import { Beginning } from "../../core/example";
import { examplesOf } from "../../core/examples";
import { updating } from "../../core/snippets";
import { useTexts } from "../../core/texts";

export function FirstCheck({ project }: { project: string }) {
  const { empty } = useTexts().statistics;
  return <Beginning title={empty.title} text={empty.text} examples={examplesOf(project, updating(project))} />;
}
