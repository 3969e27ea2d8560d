// The state of the replication in one line.

import type { InstanceStatus } from "svc-sdk";
import type { Format } from "../../core/format";
import { sentence } from "../../core/sentence";
import type { Texts } from "../../texts/en";

type Replication = NonNullable<InstanceStatus["replication"]>;

/** Returns the most important fact about the replication. */
export function replicationText(of: Replication, texts: Texts["overview"]["status"], format: Pick<Format, "number" | "bytes">): string {
  const seconds = format.number(Math.round(of.lag_seconds));
  if (of.fenced) return texts.fenced;
  if (of.failure) return sentence(of.failure);
  if (of.role === "standby") return texts.standby(seconds);
  return of.lag_seconds === 0 ? texts.complete : texts.waiting(format.bytes(of.lag_bytes), seconds);
}
