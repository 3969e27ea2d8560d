// What updaters read: the downloads of a version with their problems, and the feeds of a project.

import { expect, expectAccessible, inEachWay, open, settled, test } from "./fixtures";
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

test("without a version, the feeds say so", async ({ page, server, project }) => {
  await open(page, server, `/admin/versions/feeds?project=${project}`);
  await expect(page.getByText("No updater is offered a file on this channel yet.", { exact: false })).toBeVisible();
});
