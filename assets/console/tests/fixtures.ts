// What the tests stand on: servers, a browser that is logged in, and rules that every test
// holds: no violation of the Content-Security-Policy, no request to another origin, no error
// on the console of the browser.

import { rmSync } from "node:fs";
import AxeBuilder from "@axe-core/playwright";
import { test as base, expect, type Page } from "@playwright/test";
import { CodeHost } from "./codehost";
import { Hand, pointer, type Way } from "./hand";
import { makeDemo, Server, username } from "./server";

export { expect };

/** How a test looks at the console. */
export interface Look {
  language: "en" | "zh";
  theme: "light" | "dark";
  /** 375 px wide, with touch. */
  phone: boolean;
}

interface PerWorker {
  /** An empty server that the tests of a worker share; each makes projects of its own. */
  server: Server;
  /** A folder with the data of `svc demo`. */
  demoData: string;
  /** A server with the data of `svc demo`, which tests only read. */
  demo: Server;
}

interface PerTest {
  /** A server of this test alone, empty at first. */
  own: Server;
  /** A server of this test alone, with the data of `svc demo`. */
  ownDemo: Server;
  /** The code host of `connected`, with the repository acme/app. */
  codehost: CodeHost;
  /** A server of this test alone, empty at first, whose app is set up at `codehost`. */
  connected: Server;
  /** Key of a new project on `server`. */
  project: string;
  /** How `hand` works; see inEachWay. */
  way: Way;
  /** Performs the task of a test in its way. */
  hand: Hand;
  /** What a test expects on the console of the browser, for those that stop the server or are refused. */
  expected: RegExp[];
}

export const test = base.extend<PerTest, PerWorker>({
  server: [
    async ({}, use) => {
      const server = await Server.start();
      await use(server);
      await server.remove();
    },
    { scope: "worker" },
  ],
  demoData: [
    async ({}, use) => {
      const data = await makeDemo();
      await use(data);
      rmSync(data, { recursive: true });
    },
    { scope: "worker" },
  ],
  demo: [
    async ({ demoData }, use) => {
      const server = await Server.start(demoData);
      await use(server);
      await server.remove();
    },
    { scope: "worker" },
  ],
  own: async ({ page }, use) => lend(page, await Server.start(), use),
  ownDemo: async ({ page, demoData }, use) => lend(page, await Server.start(demoData), use),
  codehost: async ({}, use) => {
    const host = await CodeHost.start();
    await use(host);
    await host.remove();
  },
  connected: async ({ page, codehost }, use) => lend(page, await codehost.server(), use),
  project: async ({ server }, use, info) => {
    const key = `p${info.testId.replace(/[^a-z0-9]/g, "").slice(-24)}-${info.repeatEachIndex}`;
    await server.call("POST", "/admin/projects", { project_key: key, name: key });
    await use(key);
  },
  way: [pointer, { option: true }],
  hand: async ({ page, way }, use) => use(new Hand(page, way)),
  expected: [[], { option: true }],
  page: async ({ page, expected }, use) => {
    const wrong: string[] = [];
    const allow = (text: string) => expected.some((pattern) => pattern.test(text));
    page.on("console", (message) => {
      if (message.type() === "error" && !allow(message.text())) {
        wrong.push(`console: ${message.text()}`);
      }
    });
    page.on("pageerror", (error) => wrong.push(`error: ${error.stack}`));
    page.on("request", (request) => {
      const { protocol, host } = new URL(request.url());
      if (/^https?:$/.test(protocol) && page.url() !== "about:blank" && host !== new URL(page.url()).host && !allow(request.url())) {
        wrong.push(`request to another origin: ${request.url()}`);
      }
    });
    await page.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        console.error(
          `Content-Security-Policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber} ${event.sample}`,
        );
      });
    });
    await use(page);
    expect(wrong).toEqual([]);
  },
});

/** Has a server used by a test, and removes it when the page asks it nothing any more. */
async function lend(page: Page, server: Server, use: (server: Server) => Promise<void>): Promise<void> {
  await use(server);
  await page.goto("about:blank");
  await server.remove();
}

/** Has what `define` defines performed in each of these ways. */
export function inEachWay(ways: Way[], define: () => void): void {
  for (const way of ways) {
    test.describe(way.name, () => {
      test.use({
        way,
        // Where nobody has chosen, the console follows the browser.
        locale: way.language === "zh" ? "zh-CN" : "en-GB",
        colorScheme: way.theme,
        ...(way.phone && { viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true }),
      });
      define();
    });
  }
}

/** Opens a path of the console, logged in as the administrator. */
export async function open(page: Page, server: Server, path: string, look: Partial<Look> = {}): Promise<void> {
  const { language = "en", theme = "light", phone = false } = look;
  const token = await server.login();
  if (phone) {
    await page.setViewportSize({ width: 375, height: 812 });
  }
  await page.addInitScript(
    ([token, username, language, theme, origin]) => {
      if (location.origin !== origin || sessionStorage.getItem("prepared")) {
        return;
      }
      sessionStorage.setItem("prepared", "1");
      localStorage.setItem("svc.console.login", JSON.stringify({ token, username }));
      localStorage.setItem("svc.console.language", language!);
      localStorage.setItem("svc.console.theme", theme!);
    },
    [token, username, language, theme, server.url] as const,
  );
  await page.goto(server.url + path);
  await expect(page.getByRole("main")).toBeVisible();
}

/** Fails when axe finds anything, of any level, on the page as it is, in either theme; the test goes on, to find all. */
export async function expectAccessible(page: Page): Promise<void> {
  await expectNoViolation(page, (axe) => axe);
  // Of what axe looks for, only contrast depends on the theme.
  const shown = await page.evaluate(() => {
    const root = document.documentElement;
    const theme = root.dataset["mantineColorScheme"]!;
    root.dataset["mantineColorScheme"] = theme === "dark" ? "light" : "dark";
    return theme;
  });
  await expectNoViolation(page, (axe) => axe.withRules(["color-contrast"]));
  await page.evaluate((theme) => {
    document.documentElement.dataset["mantineColorScheme"] = theme;
  }, shown);
}

async function expectNoViolation(page: Page, rules: (axe: AxeBuilder) => AxeBuilder): Promise<void> {
  // Colours in the middle of a transition are neither of the two that were chosen.
  await page.evaluate(() => {
    const ending = document
      .getAnimations()
      .filter((animation) => animation.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
    return Promise.all(ending.map((animation) => animation.finished.catch(() => undefined)));
  });
  // No page has a frame, for which axe would open a page of its own.
  const { violations } = await rules(new AxeBuilder({ page }).setLegacyMode(true)).analyze();
  expect
    .soft(
      violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("\n  ")}`),
      page.url(),
    )
    .toEqual([]);
}

/** Both languages, both themes. */
export const looks: Look[] = [
  { language: "en", theme: "light", phone: false },
  { language: "zh", theme: "dark", phone: false },
];
