// Behaviour analysis: required content and actions.

import { en } from "../src/texts/en";
import { zh } from "../src/texts/zh";
import { expect, expectAccessible, expectEachAccessible, goTo, open, test } from "./fixtures";
import { people } from "./people";

test("the overview counts events, users, sessions and kinds, and splits the trend", async ({ page, server, project }) => {
  await people(server, project);
  await open(page, server, `/admin/events?project=${project}`);
  const figure = (name: string) => page.getByRole("region", { name, exact: true });
  await expect(figure("Events")).toContainText("12");
  await expect(figure("Unique users")).toContainText("6");
  await expect(figure("Sessions")).toContainText("6");
  await expect(figure("Event types")).toContainText("3");
  await expect(page.locator('[data-figure="events-event"] li').first()).toContainText("open");
  await page.locator("[data-later]").scrollIntoViewIfNeeded();
  await expect(page.locator('[data-figure="events-platform"]')).toContainText("Windows");
  await page.locator('[data-figure="events-trend"]').getByText("Event", { exact: true }).click();
  await expect(page.locator('[data-figure="events-trend"]').getByRole("button", { name: "view" })).toHaveAttribute("aria-pressed", "true");
  await page.locator('[data-figure="events-trend"]').getByRole("button", { name: "view" }).click();
  await expect(page.locator('[data-figure="events-trend"]').getByRole("button", { name: "view" })).toHaveAttribute("aria-pressed", "false");
});

test("without events, the page says how to send the first one", async ({ page, server, project }) => {
  await open(page, server, `/admin/events?project=${project}`);
  await expect(page.getByRole("heading", { name: "No events yet" })).toBeVisible();
  await expect(page.getByRole("tabpanel")).toContainText(`${server.url}/api/v1/public/${project}/events`);
  await page.getByRole("tab", { name: "Python" }).click();
  await expect(page.getByRole("tabpanel")).toContainText(".track(");
});

test("definitions are described, archived with undo, and deleted", async ({ page, server, project }) => {
  await people(server, project);
  await open(page, server, `/admin/events/definitions?project=${project}`);
  const row = (name: string) => page.getByRole("row").filter({ hasText: name });
  await expect(row("open")).toContainText("6");
  const act = async (name: string, item: string) => {
    await row(name).getByRole("button").last().click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  await act("open", "Edit");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Display name").fill('App opened <img src=x onerror="alert(1)">');
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(row("open")).toContainText('<img src=x onerror="alert(1)">');
  await expect(page.locator("img[src=x]")).toHaveCount(0);

  await act("view", "Archive");
  await expect(page.getByText("view is archived.")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await act("buy", "Archive");
  await expect(row("buy")).toHaveCount(0);
  await page.getByRole("switch", { name: "Show archived" }).click();
  await expect(row("buy")).toContainText("Archived");

  await act("view", "Delete");
  await expect(page.getByRole("dialog")).toContainText("Events and their counts are kept");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(row("view")).toHaveCount(0);
});

test("retention leaves periods blank that are not over", async ({ page, server, project }) => {
  await people(server, project);
  await open(page, server, `/admin/events/retention?project=${project}&start=open&periods=3&range=7d`);
  const rows = page.locator('[data-figure="result"] tbody tr');
  const earlier = rows.filter({ has: page.getByRole("cell", { name: "4", exact: true }) });
  await expect(earlier.locator("td").nth(1)).toHaveText("100%");
  await expect(earlier.locator("td").nth(2)).toHaveText("0%");
  // The second day of today's cohort is in the future.
  await expect(rows.last().locator("td").last()).toHaveText("");
  await page.getByText("Week", { exact: true }).click();
  await expect(page).toHaveURL(/period=week/);
});

test("retention shows all its rows, and scrolls sideways below them", async ({ page, demo }) => {
  await open(page, demo, "/admin/events/retention?project=quillmere&start=app_opened&range=30d", { phone: true });
  const area = page.getByRole("group", { name: "Returning users by cohort" });
  await expect(area.locator("tbody tr")).toHaveCount(30);
  const [whole, shown] = await area.evaluate((area) => [area.scrollHeight, area.clientHeight]);
  expect(whole).toBe(shown);
  const [grid, stage] = [(await area.getByRole("table").boundingBox())!, (await area.boundingBox())!];
  // The height that the skeleton has had: the rows, and room for a scroll bar.
  expect(stage.height - grid.height).toBeGreaterThanOrEqual(8);
  expect(stage.height - grid.height).toBeLessThanOrEqual(16);
  expect(await area.evaluate((area) => area.scrollWidth > area.clientWidth)).toBe(true);
  await page.setViewportSize({ width: 1440, height: 900 });
  expect(await area.evaluate((area) => [area.scrollHeight - area.clientHeight, area.scrollWidth - area.clientWidth])).toEqual([0, 0]);
});

for (const [width, language] of [
  [390, "zh"],
  [375, "zh"],
  [320, "en"],
  [320, "zh"],
] as const) {
  test.describe(`on ${width} px in ${language}`, () => {
    test.use({ viewport: { width, height: 800 }, hasTouch: true });

    test("the kinds of a query are whole, and the range and its buttons are on one line", async ({ page, demo }) => {
      const texts = { en, zh }[language];
      await open(page, demo, "/admin/events/explore?project=quillmere", { language });
      const control = page.getByRole("radiogroup", { name: texts.events.explore.type });
      await expect(control).toBeVisible();
      const cut = await control.locator("label").evaluateAll((labels) => labels.filter((one) => one.scrollWidth > one.clientWidth).length);
      expect(cut).toBe(0);
      expect(await control.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);

      await goTo(page, "/admin/analytics?project=quillmere&range=1y");
      const range = page.getByRole("radiogroup", { name: texts.charts.range });
      const chosen = range.locator("label[data-active]");
      await expect(chosen).toHaveText(texts.charts.ranges["1y"]);
      const [segments, button] = [
        (await range.boundingBox())!,
        (await page.getByRole("button", { name: texts.common.refresh, exact: true }).boundingBox())!,
      ];
      expect(Math.abs(segments.y + segments.height / 2 - button.y - button.height / 2)).toBeLessThanOrEqual(1);
      expect(button.x + button.width).toBeLessThanOrEqual(width);
      const box = (await chosen.boundingBox())!;
      expect(box.x + box.width).toBeLessThanOrEqual(segments.x + segments.width + 1);
    });
  });
}

test("paths say when branches are cut, and a refresh within a second asks again", async ({ page, server, project }) => {
  await people(server, project);
  // The range ends at the page's time, which must be later than all events of this test.
  await page.clock.setFixedTime(Date.now() + 60_000);
  await open(page, server, `/admin/events/paths?project=${project}&branches=1&scope=user`);
  const result = page.locator('[data-figure="result"]');
  await expect(result.locator("[data-drawn]")).toHaveAttribute("aria-label", /open → view: 4/);
  await expect(result).not.toContainText("most frequent branches");
  await server.call(
    "POST",
    `/public/${project}/events`,
    {
      distinct_id: "other",
      events: [
        { event_id: "x1", name: "help" },
        { event_id: "x2", name: "open" },
      ],
    },
    "",
  );
  await page.getByRole("button", { name: "Refresh" }).click();
  await expect(result).toContainText("most frequent branches");
});

test("a query has up to six letters, conditions, groups and a formula", async ({ page, server, project }) => {
  await people(server, project);
  await open(page, server, `/admin/events/explore?project=${project}`);
  await page.getByText("Single number").click();
  for (const letter of ["B", "C", "D", "E", "F"]) {
    await page.getByRole("button", { name: "Add query" }).click();
    await expect(page.getByRole("combobox", { name: `Query ${letter}`, exact: true })).toBeVisible();
  }
  await expect(page.getByRole("button", { name: "Add query" })).toBeDisabled();
  for (const letter of ["F", "E", "D", "C"]) {
    await page.getByRole("button", { name: `Remove query ${letter}` }).click();
  }
  const choose = async (label: string, option: string) => {
    await page.getByRole("combobox", { name: label, exact: true }).click();
    await page.getByRole("option", { name: option }).click();
  };
  await choose("Query A", "buy");
  await choose("Query B", "open");
  await page.getByLabel("Formula").fill("A / B * 100");
  const result = page.locator('[data-figure="result"]');
  await expect(result).toContainText("33.33");
  await page.getByLabel("Formula").fill("A / ");
  await expect(page.getByText("This is no complete formula", { exact: false })).toBeVisible();
  await page.getByLabel("Formula").fill("A / C");
  await expect(page.getByText("There is no query C.")).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(0);

  await page.getByText("Breakdown", { exact: true }).click();
  await choose("Group by", "Property");
  await page
    .getByRole("combobox", { name: "Property" })
    .or(page.getByRole("textbox", { name: "Property" }))
    .first()
    .fill("theme");
  await expect(result.locator("li")).toHaveText([/dark.*1/s, /light.*1/s]);
  // A bar limits the question to its value.
  await result.getByRole("button", { name: "Show only light" }).click();
  await expect(result.locator("li")).toHaveText([/light.*1/s]);
  await expect(page.getByRole("combobox", { name: "Value" })).toHaveValue("light");
});

test("the keys that an event has had are offered, and another one is accepted", async ({ page, server, project }) => {
  await people(server, project);
  await open(page, server, `/admin/events/explore?project=${project}`);
  await page.getByText("Breakdown", { exact: true }).click();
  await page.getByRole("combobox", { name: "Group by", exact: true }).click();
  await page.getByRole("option", { name: "Property" }).click();
  const key = page
    .getByRole("combobox", { name: "Property" })
    .or(page.getByRole("textbox", { name: "Property" }))
    .first();
  await key.click();
  await page.getByRole("option", { name: "theme", exact: true }).click();
  await expect(key).toHaveValue("theme");
  await expect(page).toHaveURL(/theme/);
  await key.fill("colour");
  await expect(page).toHaveURL(/colour/);
});

test("a bar of the overview limits the page to its event, and back shows all again", async ({ page, server, project }) => {
  await people(server, project);
  await open(page, server, `/admin/events?project=${project}`);
  await page.getByRole("button", { name: "Show only view" }).click();
  await expect(page).toHaveURL(/event=view/);
  const figure = (name: string) => page.getByRole("region", { name, exact: true });
  await expect(figure("Events")).toContainText("4");
  await expect(figure("Unique users")).toContainText("4");
  await expect(figure("Sessions")).toHaveCount(0);
  await expectAccessible(page);
  await page.goBack();
  await expect(figure("Sessions")).toContainText("6");
  await page.goForward();
  await page.getByRole("button", { name: "Show all events" }).click();
  await expect(figure("Sessions")).toContainText("6");
});

test("the range is what is dragged over a chart, or what the form says, and it is in the address", async ({ page, server, project }) => {
  await people(server, project);
  await open(page, server, `/admin/events?project=${project}`);
  const plot = page.locator('[data-figure="events-trend"] [data-drawn]');
  await expect(plot).toBeVisible();
  const heading = page.locator("main h1 + div p");
  const before = await heading.textContent();
  const { x, y, width } = (await plot.boundingBox())!;
  await page.mouse.move(x + width * 0.5, y + 100);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.9, y + 120, { steps: 5 });
  await page.mouse.up();
  await expect(page).toHaveURL(/from=\d+&to=\d+/);
  await expect(heading).not.toHaveText(before!);
  await expect(page.getByRole("radio", { name: "7 d" })).not.toBeChecked();
  const dragged = await heading.textContent();
  // The other pages of the analysis keep it.
  await page.getByRole("main").getByRole("link", { name: "Explore" }).click();
  await expect(heading).toHaveText(dragged!);
  await page.getByText("7 d", { exact: true }).click();
  await expect(heading).toHaveText(before!);
  await expect(page).not.toHaveURL(/from=/);

  await page.getByRole("button", { name: "Own range" }).click();
  const form = page.getByRole("dialog", { name: "Own range" });
  await form.getByRole("textbox", { name: "From" }).fill("2099-01-01T00:00");
  await form.getByRole("button", { name: "Show" }).click();
  await expect(form).toContainText("The start must be before the end");
  await expectAccessible(page);
  const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  await form.getByRole("textbox", { name: "From" }).fill(`${day(40)}T00:00`);
  await form.getByRole("textbox", { name: "To", exact: true }).fill(`${day(20)}T12:00`);
  await page.keyboard.press("Enter");
  await expect(form).toBeHidden();
  await expect(page).toHaveURL(/from=\d+&to=\d+/);
  await expect(heading).not.toHaveText(before!);
  const own = await heading.textContent();
  await page.reload();
  await expect(heading).toHaveText(own!);
});

test("on a phone, the tab of the page is in sight", async ({ page, demo }) => {
  await open(page, demo, "/admin/events?project=quillmere", { phone: true });
  const tabs = page.getByRole("main").getByRole("navigation");
  for (const [path, name] of [
    ["dashboard", "Dashboard"],
    ["definitions", "Definitions"],
    ["explore", "Explore"],
  ] as const) {
    await goTo(page, `/admin/events/${path}?project=quillmere`);
    await expect(tabs.getByRole("link", { name })).toHaveAttribute("aria-current", "page");
    // The lowest pixel of a tab lies below the edge of the row.
    await expect(tabs.getByRole("link", { name })).toBeInViewport({ ratio: 0.95 });
  }
});

test("a page can be left while its charts are being painted", async ({ page, demo }) => {
  await page.addInitScript(() => {
    // Each cell of the week takes a frame.
    const { fill } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fill = function (this: CanvasRenderingContext2D, ...parts: unknown[]) {
      const end = performance.now() + 16;
      while (performance.now() < end) {}
      fill.apply(this, parts as never);
    };
  });
  await open(page, demo, "/admin/events?project=quillmere");
  await expect(page.locator('[data-figure="events-week"] [data-drawn]')).toBeVisible();
  await goTo(page, "/admin/events/definitions?project=quillmere");
  await expect(page.locator("[data-figure]")).toHaveCount(0);
  // The fixture fails on an error in a later frame.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
});

test("without events, each question says how to send the first one", async ({ page, server, project }) => {
  for (const question of ["funnel", "retention", "paths", "explore"]) {
    await open(page, server, `/admin/events/${question}?project=${project}`);
    await expect(page.getByRole("heading", { name: "No events yet" })).toBeVisible();
  }
});

test("a card has a size and a unit, and keeps its description when its question is saved again", async ({ page, server, project }) => {
  await people(server, project);
  const cards = `/admin/projects/${project}/events/dashboards/cards`;
  await server.call("POST", cards, {
    title: "Rate",
    description: "Why it matters",
    query: {
      type: "value",
      events: [
        { name: "buy", alias: "A" },
        { name: "open", alias: "B" },
      ],
      formula: "A / B * 100",
    },
  });
  const stored = async () =>
    (await server.call<{ data: { description: string; layout: Record<string, unknown> }[] }>("GET", cards)).data[0]!;
  await open(page, server, `/admin/events/dashboard?project=${project}`);
  const actions = page.getByRole("button", { name: "Actions for “Rate”" });
  const size = async (name: string) => {
    await actions.click();
    await page.getByRole("menuitemradio", { name }).click();
    await actions.click();
    await expect(page.getByRole("menuitemradio", { name })).toBeChecked();
    await page.keyboard.press("Escape");
  };
  await size("Full width");
  await size("Low");
  expect(await stored()).toMatchObject({ layout: { w: 12, h: 1 } });
  await actions.click();
  await page.getByRole("menuitem", { name: "Edit question" }).click();
  await page.reload();
  await page.getByRole("button", { name: "Save card" }).click();
  const dialog = page.getByRole("dialog", { name: "Save card" });
  await expect(dialog.getByLabel("Description")).toHaveValue("Why it matters");
  await dialog.getByLabel("Unit").fill("%");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Open dashboard" }).click();
  await expect(page.getByRole("region", { name: "Rate" })).toContainText("33.33 %");
  expect(await stored()).toMatchObject({ description: "Why it matters", layout: { w: 12, h: 1, unit: "%" } });
});

test("cards of the dashboard are moved by key and pointer, renamed and deleted", async ({ page, server, project }) => {
  await people(server, project);
  const titles = ["First", "Second", "Third"];
  for (const [place, title] of titles.entries()) {
    await server.call("POST", `/admin/projects/${project}/events/dashboards/cards`, {
      title,
      sort_order: place,
      query: { type: ["value", "timeseries", "breakdown"][place], events: [{ name: "open", alias: "A" }], group_by: { kind: "platform" } },
    });
  }
  const order = async () =>
    (await server.call<{ data: { title: string }[] }>("GET", `/admin/projects/${project}/events/dashboards/cards`)).data.map(
      ({ title }) => title,
    );
  await open(page, server, `/admin/events/dashboard?project=${project}`);
  const shown = page.locator("[data-card] h2");
  await expect(shown).toHaveText(titles);

  await page.getByRole("button", { name: /Move “First”/ }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(shown).toHaveText(["Second", "First", "Third"]);
  await expect(page.getByRole("status").filter({ hasText: "“First” is now 2 of 3" })).toBeAttached();
  await expect.poll(order).toEqual(["Second", "First", "Third"]);

  const handle = (await page.getByRole("button", { name: /Move “Third”/ }).boundingBox())!;
  const target = (await page.locator("[data-card]").first().boundingBox())!;
  await page.mouse.move(handle.x + 5, handle.y + 5);
  await page.mouse.down();
  await page.mouse.move(target.x + 60, target.y + 120, { steps: 8 });
  await page.mouse.up();
  await expect(shown).toHaveText(["Third", "Second", "First"]);
  await expect.poll(order).toEqual(["Third", "Second", "First"]);

  await page.getByRole("button", { name: "Actions for “Second”" }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByRole("dialog").getByLabel("Title").fill("Renamed");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await expect(shown).toHaveText(["Third", "Renamed", "First"]);

  await page.getByRole("button", { name: "Actions for “Renamed”" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await expect(page.getByRole("dialog")).toContainText("Renamed");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(shown).toHaveText(["Third", "First"]);
});

test("Analytics is accessible: definitions, pickers, cards, dialogs", async ({ page, server, project }) => {
  const { events, charts, common } = zh;
  await people(server, project);
  await server.call("POST", `/admin/projects/${project}/events/dashboards/cards`, {
    title: "First",
    query: { type: "value", events: [{ name: "open", alias: "A" }] },
  });
  const { data } = await server.call<{ data: { event_definition_id: string }[] }>("GET", `/admin/projects/${project}/events/definitions`);
  const id = data[0]!.event_definition_id;
  const at = (sub: string) => goTo(page, `/admin/events${sub}?project=${project}`);
  await open(page, server, `/admin/events?project=${project}`, { language: "zh" });
  await expectEachAccessible(page, [
    page.getByRole("button", { name: charts.definition(events.users) }),
    page.getByRole("button", { name: charts.download(events.trend) }),
    "help=1",
  ]);
  await at("/definitions");
  await expect(page.locator("tbody tr")).toHaveCount(3);
  await expectEachAccessible(page, [
    page.getByRole("button", { name: new RegExp(`^${common.more}`) }).first(),
    `open=${id}`,
    `edit=${id}`,
    `delete=${id}`,
  ]);
  await at("/funnel");
  await expectEachAccessible(page, [page.getByRole("combobox", { name: events.funnel.step(1) })]);
  await page.getByRole("combobox", { name: events.funnel.step(1) }).click();
  await page.getByRole("option", { name: "open" }).click();
  await page.getByRole("combobox", { name: events.funnel.step(2) }).click();
  await page.getByRole("option", { name: "view" }).click();
  await page.getByRole("button", { name: events.conditions.add }).first().click();
  await expect(page.locator('[data-figure="result"] [data-drawn]')).toBeVisible();
  await expectAccessible(page);
  await expectEachAccessible(page, [page.getByRole("button", { name: events.card.save })]);
  await at("/dashboard");
  const menu = page.getByRole("button", { name: events.dashboard.actions("First") });
  await expectEachAccessible(page, [menu]);
  for (const item of [events.dashboard.rename, common.delete]) {
    await menu.click();
    await page.getByRole("menuitem", { name: item }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
  }
});

test("changes of a question that follow each other at once are all kept", async ({ page, server, project }) => {
  const twice = (name: string) =>
    page
      .getByRole("button", { name, exact: true })
      .first()
      .evaluate((button: HTMLElement) => {
        button.click();
        button.click();
      });
  await open(page, server, `/admin/events/funnel?project=${project}`);
  await twice("Add step");
  await expect(page.getByRole("combobox", { name: "Step 4" })).toBeVisible();
  await twice("Add condition");
  await expect(page.getByRole("button", { name: "Remove condition" })).toHaveCount(2);
  const steps = JSON.stringify(["a", "b", "c"].map((event_name) => ({ event_name, filters: [] })));
  await open(page, server, `/admin/events/funnel?project=${project}&steps=${encodeURIComponent(steps)}`);
  await twice("Remove step 1");
  await expect(page.getByRole("combobox", { name: "Step 1" })).toHaveValue("b");
  await expect(page.getByRole("combobox", { name: "Step 2" })).toHaveValue("c");
  await open(page, server, `/admin/events/explore?project=${project}`);
  await twice("Add query");
  await expect(page.getByRole("combobox", { name: "Query C", exact: true })).toBeVisible();
});

test("what is typed into a condition that is removed at once reaches no other one", async ({ page, server, project }) => {
  await page.clock.install();
  await open(page, server, `/admin/events/funnel?project=${project}`);
  const add = page.getByRole("button", { name: "Add condition" }).first();
  const values = page.getByRole("combobox", { name: "Value" });
  const remove = page.getByRole("button", { name: "Remove condition" });
  await add.click();
  await add.click();
  await values.nth(1).fill("free");
  await values.nth(0).fill("pro");
  await remove.first().click();
  await expect(remove).toHaveCount(1);
  await page.clock.runFor(1000);
  await expect(values).toHaveValue("free");
  await expect(page).toHaveURL(/free/);
  await expect(page).not.toHaveURL(/pro%22|"pro"/);
});
