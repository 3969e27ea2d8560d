// Getting started with behaviour analysis: sending the first event with a command or a client library.

import { Beginning } from "../../core/example";
import { examplesOf } from "../../core/examples";
import { useProjectKey, useProjects } from "../../core/project";
import { useTexts } from "../../core/texts";

export function FirstEvent() {
  const { empty } = useTexts().events;
  const [project] = useProjectKey();
  const { data: projects } = useProjects();
  const collects = projects?.find(({ project_key }) => project_key === project)?.event_collection_enabled ?? true;
  const examples = examplesOf(project, {
    curl: {
      path: `/public/${encodeURIComponent(project)}/events`,
      body: { distinct_id: "anonymous-1", events: [{ event_id: "1", name: "app_opened", properties: { theme: "dark" } }] },
    },
    typescript: 'client.public.track("app_opened", { theme: "dark" });\nawait client.close();',
    browser: 'client.public.track("app_opened", { theme: "dark" });',
    go: 'client.Public.Track("app_opened", map[string]any{"theme": "dark"})\nreturn client.Close(context.Background())',
    python: 'client.public.track("app_opened", {"theme": "dark"})\nclient.close()',
    rust: 'client.public().track("app_opened", serde_json::json!({"theme": "dark"}));',
  });
  return <Beginning title={empty.title} text={collects ? empty.text : empty.off} examples={examples} />;
}
