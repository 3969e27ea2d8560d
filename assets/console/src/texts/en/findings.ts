// Findings of the server's examination. Their English texts come from the server.

import type { InstanceCheck, InstanceFinding } from "svc-sdk";

export interface Findings {
  titleOf(check: Pick<InstanceCheck, "name" | "title">): string;
  textOf(finding: InstanceFinding): Pick<InstanceFinding, "what" | "repair">;
}

export const findings: Findings = { titleOf: ({ title }) => title, textOf: (finding) => finding };
