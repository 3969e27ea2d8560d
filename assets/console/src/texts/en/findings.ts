// The findings of the server's checks of itself. In English, the server's own texts are shown.

import type { InstanceCheck, InstanceFinding } from "svc-sdk";

export interface Findings {
  titleOf(check: Pick<InstanceCheck, "name" | "title">): string;
  textOf(finding: InstanceFinding): Pick<InstanceFinding, "what" | "repair">;
}

export const findings: Findings = { titleOf: ({ title }) => title, textOf: (finding) => finding };
