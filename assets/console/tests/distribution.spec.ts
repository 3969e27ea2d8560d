// What updaters read: the downloads of a version with their problems, and the feeds of a project.

import { generateKeyPairSync } from "node:crypto";
import { en } from "../src/texts/en";
import { expect, expectAccessible, expectStill, inEachWay, open, settled, test, watchMoves } from "./fixtures";
import { phone, pointer } from "./hand";
import { expectToFit } from "./walk";

inEachWay([pointer, phone], () => {
  test("correct what was derived about a download, and let it be derived again", async ({ page, hand, server, project }) => {
    test.slow();
    const { assets: texts, common } = hand.t;
    const versions = `/admin/projects/${project}/versions`;
    const url = "https://downloads.example.org/App-Setup-1.0.0.exe";
    const { id } = await server.call<{ id: string }>("PUT", `${versions}/by-version/1.0.0`, { download_links: [{ url }] });
    const read = async () => (await server.call<{ data: Record<string, unknown>[] }>("GET", `${versions}/${id}/assets`)).data[0];
    await hand.open(server, `/admin/versions/release?project=${project}&release=${id}`);
    const list = page.getByRole("region", { name: texts.title });
    const row = list.getByRole("row").filter({ hasText: "App-Setup-1.0.0.exe" });
    await expect(row).toContainText(texts.kinds["exe"]!);
    await hand.press(row.getByRole("button", { name: texts.open("App-Setup-1.0.0.exe") }));
    const dialog = page.getByRole("dialog", { name: "App-Setup-1.0.0.exe" });
    await expect(dialog).toContainText(texts.unknown);
    await hand.choose(dialog.getByRole("combobox", { name: texts.arch }), "arm64");
    await hand.fill(dialog.getByRole("textbox", { name: texts.bytes }), "1048576");
    await settled(page);
    await expectAccessible(page);
    await hand.press(dialog.getByRole("button", { name: common.save }));
    await expect(dialog).toBeHidden();
    await expect(row).toContainText("arm64");
    expect(await read()).toMatchObject({ arch: "arm64", size: 1_048_576, platform: "windows" });
    // On a phone, the notice lies on the buttons of the dialog.
    await hand.press(page.getByRole("alert").getByRole("button", { name: common.close }));

    await hand.press(row.getByRole("button", { name: texts.open("App-Setup-1.0.0.exe") }));
    await hand.fill(dialog.getByRole("textbox", { name: texts.bytes }), "");
    await hand.press(dialog.getByRole("button", { name: common.save }));
    await expect(dialog).toBeHidden();
    expect(await read()).toMatchObject({ arch: "arm64", size: null });
  });

  test("the feeds of a project: what each updater is shown, and what to paste into the app", async ({ page, hand, demo }) => {
    test.slow();
    const { feeds: texts, versions } = hand.t;
    await hand.open(demo, "/admin/versions?project=wicklume");
    await hand.menu(page.getByRole("button", { name: versions.releases, exact: true }), versions.feeds);
    await expect(page.getByRole("heading", { level: 1, name: texts.title })).toBeVisible();
    const link = page.getByRole("region", { name: texts.latest });
    await expect(link).toContainText(texts.shown("0.12.1"));
    await expect(link).toContainText("/feeds/wicklume/latest/stable/windows");
    await expect(page.getByRole("list", { name: texts.left })).toHaveCount(0);
    await hand.press(page.getByRole("radio", { name: texts.all }));
    await expect(page.getByRole("region", { name: "Tauri, cargo-packager" })).toContainText(
      "/feeds/wicklume/tauri/stable/{{target}}/{{arch}}/{{current_version}}",
    );
    await settled(page);
    await expectAccessible(page);
    await expectToFit(page);
    await hand.choose(page.getByRole("combobox", { name: texts.channel }), "alpha");
    await expect(page.getByRole("region", { name: "Sparkle", exact: true })).toContainText("/feeds/wicklume/sparkle/alpha/appcast.xml");
    expect(new URL(page.url()).searchParams.get("channel")).toBe("alpha");
  });
});

test("a problem of a feed is told once, with all the files that have it", async ({ page, server, project }) => {
  for (const version of ["1.0.0", "1.1.0"]) {
    const url = `https://files.example/app-${version}-macos.zip`;
    await server.call("PUT", `/admin/projects/${project}/versions/by-version/${version}`, { download_links: [{ url }] });
  }
  await open(page, server, `/admin/versions/feeds?project=${project}`);
  const sparkle = page.getByRole("region", { name: "Sparkle", exact: true });
  const told = sparkle.getByRole("list", { name: en.feeds.left }).getByRole("listitem");
  await expect(told).toHaveCount(1);
  await expect(told).toContainText(/app-1\.1\.0-macos\.zip.* · .*app-1\.0\.0-macos\.zip/);
});

test("without a version, the feeds say so", async ({ page, server, project }) => {
  await open(page, server, `/admin/versions/feeds?project=${project}`);
  await expect(page.getByText("No updater is offered a file on this channel yet.", { exact: false })).toBeVisible();
});

test.describe("settings", () => {
  test.use({ expected: [/status of 4(00|09)/] });

  test("channels, the steps of new versions and health rules are saved together; a channel in use stays", async ({
    page,
    server,
    project,
  }) => {
    test.slow();
    await open(page, server, `/admin/versions/distribution?project=${project}`);
    await page.getByRole("button", { name: "Add channel" }).click();
    const channel = page.getByRole("group", { name: "Channel 1" });
    await channel.getByRole("textbox", { name: "Name" }).fill("night");
    await channel.getByRole("combobox", { name: "Includes" }).fill("stable,");
    await page.getByRole("switch", { name: "Roll out step by step" }).click();
    const rule = page.getByRole("group", { name: "error_logs" });
    await rule.getByRole("textbox", { name: "Accepted factor" }).fill("2");
    await settled(page);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect(page.getByText("Saved", { exact: true })).toBeVisible();
    const path = `/admin/projects/${project}/distribution`;
    expect(await server.call("GET", path)).toMatchObject({
      channels: [{ name: "night", includes: ["stable"] }],
      rollout_default: { steps: [{ percent: 10 }, { percent: 50 }, { percent: 100 }] },
      health: {
        false_alarm: 0.01,
        rules: [
          { name: "error_logs", tolerance: 2 },
          { name: "update_failed", tolerance: 1.5 },
        ],
      },
    });

    await server.call("PUT", `/admin/projects/${project}/versions/by-version/2.0.0`, { channel: "night", rollout: null });
    await page.getByRole("button", { name: "Remove night" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect(page.getByRole("main").getByText(/night/).first()).toBeVisible();
    expect(await server.call("GET", path)).toMatchObject({ channels: [{ name: "night" }] });
  });

  test("unsaved changes are saved from anywhere on the page, and the bar for that covers no field", async ({ page, server, project }) => {
    const moves = await watchMoves(page);
    await open(page, server, `/admin/versions/distribution?project=${project}`);
    const save = page.getByRole("button", { name: "Save", exact: true });
    const steps = page.getByRole("switch", { name: "Roll out step by step" });
    await expect(steps).toBeVisible();
    await page.evaluate(() => scrollTo(0, 0));
    await expect(save).not.toBeInViewport();
    await steps.click();
    await expect(save).toBeInViewport({ ratio: 1 });
    // The focus walks through all fields, from the first one to the last.
    const covered = await page.evaluate(() => {
      const bar = document.querySelector("[data-dirty]")!;
      const fields = [...document.querySelectorAll<HTMLElement>("main form :is(input:not([type=hidden]), button:not(:disabled))")];
      return fields
        .filter((field) => !bar.contains(field) && field.checkVisibility())
        .filter((field) => {
          field.focus();
          return field.getBoundingClientRect().bottom > bar.getBoundingClientRect().top;
        })
        .map((field) => field.outerHTML);
    });
    expect(covered).toEqual([]);
    expectStill(moves);
    await page.getByRole("button", { name: "Reset" }).click();
    await expect(save).toBeDisabled();
  });

  for (const width of [390, 1440]) {
    test(`in a window of ${width} px, the labels of a rule take one line, and fields of a row begin at the same height`, async ({
      page,
      demo,
    }) => {
      await page.setViewportSize({ width, height: 900 });
      for (const language of ["en", "zh"] as const) {
        await open(page, demo, "/admin/versions/distribution?project=wicklume", { language });
        await expect(page.getByRole("group", { name: "write_failed" })).toBeVisible();
        const uneven = await page.evaluate(() => {
          const wrapped = [...document.querySelectorAll("[role=group] label")].filter(
            (label) => label.getClientRects().length > 1 || label.clientHeight > 30,
          );
          const tops = (field: Element) => Math.round(field.getBoundingClientRect().top);
          const fields = [...document.querySelectorAll("[role=group] .mantine-Input-wrapper")];
          const crooked = fields.filter((field) =>
            fields.some((other) => tops(other) !== tops(field) && Math.abs(tops(other) - tops(field)) < 24),
          );
          return [...wrapped, ...crooked].map((part) => part.outerHTML);
        });
        expect(uneven).toEqual([]);
      }
    });
  }

  test("a trust key is added, retired, which can be taken back, and revoked for good", async ({ page, server, project }) => {
    test.slow();
    await open(page, server, `/admin/versions/distribution?project=${project}`);
    const keys = page.getByRole("region", { name: "Trust keys" });
    await keys.getByRole("button", { name: "Add key" }).click();
    const dialog = page.getByRole("dialog", { name: "Add key" });
    await dialog.getByRole("combobox", { name: "Scheme" }).click();
    await page.getByRole("option", { name: "Sparkle, WinSparkle" }).click();
    const key = generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }).x!;
    await dialog.getByRole("textbox", { name: "Public key" }).fill("not a key");
    await dialog.getByRole("button", { name: "Add key" }).click();
    await expect(dialog.getByRole("alert")).toBeVisible();
    await dialog.getByRole("textbox", { name: "Public key" }).fill(Buffer.from(key, "base64url").toString("base64"));
    await dialog.getByRole("button", { name: "Add key" }).click();
    await expect(dialog).toBeHidden();
    await keys.getByRole("button", { name: "Retire" }).click();
    await expect(keys.getByRole("cell", { name: "Retired" })).toBeVisible();
    await page.getByRole("button", { name: "Undo" }).last().click();
    await expect(keys.getByRole("cell", { name: "Active" })).toBeVisible();
    await expectAccessible(page);
    await keys.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await expect(keys.getByRole("cell", { name: "Revoked" })).toBeVisible();
    await expect(keys.getByRole("button", { name: "Retire" })).toHaveCount(0);
  });
});
