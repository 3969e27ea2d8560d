import { expect, test } from "vitest";
import { baseOf, updatersOf } from "./updaters";

test("every configuration names the address of the project and the channel", () => {
  const base = baseOf("https://svc.example.com/feeds/my-app/tauri/beta/{target}/{arch}/{current_version}");
  expect(base).toBe("https://svc.example.com/feeds/my-app");
  for (const { format, config } of updatersOf(base, "beta")) {
    expect(config, format).toContain(base);
    expect(config, format).toContain("beta");
  }
});
