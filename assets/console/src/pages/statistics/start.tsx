// Getting started with statistics: the update check that fills them.

import { Beginning } from "../../core/example";
import { examplesOf } from "../../core/examples";
import { updating } from "../../core/snippets";
import { useTexts } from "../../core/texts";

export function FirstCheck({ project }: { project: string }) {
  const { empty } = useTexts().statistics;
  return <Beginning title={empty.title} text={empty.text} examples={examplesOf(project, updating(project))} />;
}
