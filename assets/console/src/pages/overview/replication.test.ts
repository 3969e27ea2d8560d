import { describe, expect, it } from "vitest";
import { overview } from "../../texts/en/overview";
import { overview as chinese } from "../../texts/zh/overview";
import { replicationText } from "./replication";

const format = { number: String, bytes: (count: number) => `${count} B` };

const sound = {
  role: "primary" as const,
  target: "s3://bucket/svc",
  mode: "async" as const,
  epoch: 1,
  position: 812,
  shipped: 812,
  lag_seconds: 0,
  lag_bytes: 0,
  failing_since: 0,
  failure: "",
  fenced: false,
  create_only: true,
  last_snapshot: 1_795_000_000,
  requests_day: 1440,
  bytes_day: 102_400,
};

describe("the replication of an instance", () => {
  const text = (change: Partial<typeof sound> | { role: "standby"; lag_seconds: number }) =>
    replicationText({ ...sound, ...change }, overview.status, format);

  it("says that everything is at the target", () => expect(text({})).toBe("Everything is at the target"));
  it("says what waits", () => expect(text({ lag_seconds: 2.6, lag_bytes: 4096 })).toBe("4096 B wait for the target, for 3 s"));
  it("gives the reason of a failure", () => expect(text({ lag_seconds: 5, failure: "no route to host" })).toBe("No route to host"));
  it("says first that another server is the primary", () => expect(text({ fenced: true, failure: "x" })).toMatch(/^Replaced/));
  it("says how far a standby is behind", () => expect(text({ role: "standby", lag_seconds: 2 })).toBe("Standby, 2 s behind the primary"));
  it("has its texts in Chinese", () =>
    expect(replicationText({ ...sound, lag_seconds: 1 }, chinese.status, format)).toMatch(/\p{Script=Han}/u));
});
