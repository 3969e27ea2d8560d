// The cards of the dashboard.

import { useQuery } from "@tanstack/react-query";
import { useAdmin, useProjectKey } from "../../core/project";

/** Returns the key of the query for the cards of a project. */
export function cardsKey(project: string): readonly unknown[] {
  return ["cards", project];
}

export function useCards() {
  const [project] = useProjectKey();
  const admin = useAdmin();
  return useQuery({
    queryKey: cardsKey(project),
    queryFn: async ({ signal }) => (await admin.listDashboardCards({ signal })).data,
    enabled: project !== "",
  });
}

/** Returns the card that is being edited on the page, or none if `id` is "". */
export function useEditedCard(id: string) {
  const { data } = useCards();
  return id ? data?.find(({ card_id }) => card_id === id) : undefined;
}
