// The page of groups of equal logs.

import { useProjectKey } from "../../core/project";
import { ResourcePage } from "../../resource/page";
import { useGroups } from "./groupresource";

export default function GroupsPage() {
  const [project] = useProjectKey();
  return <ResourcePage resource={useGroups(project)} />;
}
