import { expect, it } from "vitest";
import { shareAt } from "./adoption";

const entry = (time: number, share: number) => ({ time, share, checks: share * 100 });
const release = { adoption: [entry(1000, 0.1), entry(4600, 0.3), entry(8200, 0)] };

it.each([
  [0, 0.1],
  [3599, 0.1],
  [3600, 0.3],
])("%i seconds after the release the share is %d", (age, share) => expect(shareAt(release, age)).toBe(share));

it("a release without numbers has no share", () => {
  expect(shareAt({ adoption: [] }, 10)).toBe(0);
});
