// Fixtures: servers, a browser that is logged in, and rules that every test holds: no violation of the
// Content-Security-Policy, no request to another origin, no error on the console of the browser.

import { rmSync } from "node:fs";
import { test as base, expect, type Locator, type Page, type Request } from "@playwright/test";
import axe, { type RunOptions } from "axe-core";
import { CodeHost } from "./codehost";
import { Hand, pointer, type Way } from "./hand";
import { expectOutlines } from "./outlines";
import { makeDemo, Server, username } from "./server";

export { expect };

/** The appearance of the console in a test. */
export interface Look {
  language: "en" | "zh";
  theme: "light" | "dark";
  /** 375 px wide, with touch. */
  phone: boolean;
}

interface PerWorker {
  /** An empty server shared by the tests of a worker; each test creates its own projects. */
  server: Server;
  /** A folder with the data of `svc demo`. */
  demoData: string;
  /** A server with the data of `svc demo`, which tests only read. */
  demo: Server;
}

interface PerTest {
  /** A server for this test only, initially empty. */
  own: Server;
  /** A server for this test only, with the data of `svc demo`. */
  ownDemo: Server;
  /** The code host of `connected`, with the repository acme/app. */
  codehost: CodeHost;
  /** A server for this test only, initially empty, with the app of `codehost` set up. */
  connected: Server;
  /** Key of a new project on `server`. */
  project: string;
  /** The way in which `hand` works; see inEachWay. */
  way: Way;
  /** Performs the task of a test in its way. */
  hand: Hand;
  /** Messages that a test expects on the browser's console, for example if it stops the server. */
  expected: RegExp[];
}

/** Pending requests of each page. */
const pending = new WeakMap<Page, Set<Request>>();

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
  hand: async ({ page, way }, use, info) => {
    const moves = await watchMoves(page);
    await use(new Hand(page, way));
    if (info.status === info.expectedStatus) {
      await settled(page);
      expectStill(moves);
    }
  },
  expected: [[], { option: true }],
  page: async ({ page, expected, way }, use) => {
    const wrong: string[] = [];
    const allow = (text: string) => expected.some((pattern) => pattern.test(text));
    page.on("console", (message) => {
      // Only the known error of the router may occur in an abandoned render, see main.tsx.
      const recovered = message.text().startsWith("drawn again:") && !message.text().includes("Invariant failed");
      if ((message.type() === "error" || recovered) && !allow(message.text())) {
        wrong.push(`console: ${message.text()}`);
      }
    });
    const asked = new Set<Request>();
    pending.set(page, asked);
    page.on("request", (request) => asked.add(request));
    page.on("requestfinished", (request) => asked.delete(request));
    page.on("requestfailed", (request) => asked.delete(request));
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
    if (way.keyboard) {
      await page.addInitScript(() => document.addEventListener("pointerdown", () => console.error("the pointer was used"), true));
    }
    await use(page);
    expect(wrong).toEqual([]);
  },
});

/** A part of a page that moved without user input, as measured by the browser's layout shift. */
interface Move {
  score: number;
  path: string;
  parts: string[];
}

/** Records layout shifts from now on, in every document of the page. */
export async function watchMoves(page: Page): Promise<Move[]> {
  const moves: Move[] = [];
  await page.exposeFunction("noteMove", (move: Move) => void moves.push(move));
  await page.addInitScript(() => {
    type Shift = {
      value: number;
      hadRecentInput: boolean;
      startTime: number;
      sources: { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
    };
    const box = ({ x, y, width, height }: DOMRect) => [x, y, width, height].map(Math.round).join(" ");
    const { noteMove } = window as unknown as { noteMove(move: Move): void };
    // Rows and options move after a search because of the typing, and rows after a change because the list is loaded
    // again. The foot of a list below its rows moves with them. On a slow machine that is later than the 500 ms after a
    // key or a press that the browser allows, and the browser does not count a field that a test fills as input.
    const causes: { at: number; within: string }[] = [];
    document.addEventListener(
      "input",
      ({ target }) => {
        if (target instanceof HTMLInputElement && target.type === "search") {
          causes.push({ at: performance.now(), within: "[data-lines]" });
        } else if (target instanceof HTMLInputElement && target.role === "combobox") {
          causes.push({ at: performance.now(), within: "[role=listbox]" });
        }
      },
      true,
    );
    const { fetch } = window;
    window.fetch = async (...request) => {
      const answer = await fetch(...request);
      if ((request[1]?.method ?? "GET") !== "GET") {
        causes.push({ at: performance.now(), within: "[data-lines]" });
      }
      return answer;
    };
    const isOfRows = ({ startTime, sources }: Shift) =>
      causes.some(
        ({ at, within }) =>
          at < startTime &&
          startTime < at + 2000 &&
          sources.every(({ node }) => !node || (node instanceof Element ? node : node.parentElement)?.closest(within)),
      );
    new PerformanceObserver((list) => {
      for (const shift of list.getEntries() as unknown as Shift[]) {
        const { value, hadRecentInput, sources } = shift;
        if (!hadRecentInput && !isOfRows(shift)) {
          noteMove({
            score: value,
            path: location.pathname,
            parts: sources.map(
              ({ node, previousRect, currentRect }) =>
                `${box(previousRect)} to ${box(currentRect)}: ${node instanceof Element ? node.outerHTML.slice(0, 200) : node?.textContent}`,
            ),
          });
        }
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  return moves;
}

/** Fails if the page has moved perceptibly. */
export function expectStill(moves: Move[]): void {
  const sum = moves.reduce((total, { score }) => total + score, 0);
  expect.soft(sum, JSON.stringify(moves, null, 1)).toBeLessThanOrEqual(0.02);
}

/** Lends a server to a test, and removes it when the page has no pending requests. */
async function lend(page: Page, server: Server, use: (server: Server) => Promise<void>): Promise<void> {
  await use(server);
  await page.goto("about:blank");
  await server.remove();
}

/** Runs the tests defined by `define` in each of these ways. */
export function inEachWay(ways: Way[], define: () => void): void {
  for (const way of ways) {
    test.describe(way.name, () => {
      test.use({
        way,
        // Without a choice, the console follows the browser.
        locale: way.language === "zh" ? "zh-CN" : "en-GB",
        colorScheme: way.theme,
        ...(way.phone && { viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true }),
      });
      define();
    });
  }
}

/** The size of a window that holds this number of rows of a list, below `above` pixels that only its page has. */
export const windowFor = (rows: number, above = 0) => ({ width: 1440, height: 240 + above + rows * 36 });

/** Opens a path of the console, logged in as the administrator. */
export async function open(page: Page, server: Pick<Server, "url" | "login">, path: string, look: Partial<Look> = {}): Promise<void> {
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

/** Opens another path of an open console without reloading it. */
export async function goTo(page: Page, path: string): Promise<void> {
  // The router listens to this call.
  await page.evaluate((path) => history.pushState(null, "", path), path);
}

/** Waits until the page has no pending requests and is rendered. */
export async function settled(page: Page): Promise<void> {
  const asked = pending.get(page)!;
  do {
    await expect.poll(() => asked.size, { intervals: [20] }).toBe(0);
    // Requests that follow an answer begin before the page is idle. A busy machine may have no idle moment.
    await page.evaluate(() => new Promise((resolve) => setTimeout(() => requestIdleCallback(resolve, { timeout: 500 }))));
  } while (asked.size > 0);
  // During a transition, colours differ from both themes.
  await page.evaluate(() => {
    const ending = document
      .getAnimations()
      .filter(({ effect, playState }) => playState === "running" && effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
    return Promise.all(ending.map((animation) => animation.finished.catch(() => undefined)));
  });
}

/**
 * Fails if axe finds a violation of any level on the current page in either theme; the test
 * continues, to find all of them. `meanwhile` runs before the theme changes.
 */
export async function expectAccessible(page: Page, meanwhile?: () => Promise<void>): Promise<void> {
  await expectNoViolation(page, {});
  await meanwhile?.();
  // Only contrast depends on the theme.
  const back = await changeTheme(page);
  await expectNoViolation(page, { runOnly: ofColours });
  await back();
}

/** The rules of axe that depend on colours. They take two thirds of the time, and only they depend on the theme. */
const ofColours = ["color-contrast", "link-in-text-block"];

const openedOrOpening = "[role=dialog], [role=menu], [role=listbox], [aria-expanded=true]";

/**
 * Like expectAccessible, after something was opened on a page that has been checked before. Rules
 * of structure check the whole document; rules of colours check the opened element and the element
 * that opened it.
 */
async function expectOpenedAccessible(page: Page): Promise<void> {
  await expectNoViolation(page, { rules: Object.fromEntries(ofColours.map((rule) => [rule, { enabled: false }])) });
  await expectNoViolation(page, { runOnly: ofColours }, openedOrOpening);
  const back = await changeTheme(page);
  await expectNoViolation(page, { runOnly: ofColours }, openedOrOpening);
  await back();
}

/** Shows the other theme until the returned function is called. */
async function changeTheme(page: Page): Promise<() => Promise<void>> {
  const [shown, ofConsole] = await page.evaluate(() => [
    document.documentElement.dataset["mantineColorScheme"] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"),
    "mantineColorScheme" in document.documentElement.dataset,
  ]);
  const other = shown === "dark" ? "light" : "dark";
  if (!ofConsole) {
    // The public pages use the system's theme.
    await page.emulateMedia({ colorScheme: other });
    return () => page.emulateMedia({ colorScheme: shown as "light" | "dark" });
  }
  const chosen = await page.evaluate(() => localStorage.getItem("svc.console.theme"));
  await chooseTheme(page, other);
  return () => chooseTheme(page, chosen);
}

/** Simulates that another tab has selected a theme, or none. */
async function chooseTheme(page: Page, theme: string | null): Promise<void> {
  await page.evaluate((theme) => {
    const key = "svc.console.theme";
    if (theme === null) {
      localStorage.removeItem(key);
    } else {
      localStorage.setItem(key, theme);
    }
    dispatchEvent(new StorageEvent("storage", { key, newValue: theme }));
  }, theme);
}

async function expectNoViolation(page: Page, rules: RunOptions, parts = ":root"): Promise<void> {
  await settled(page);
  if (!(await page.evaluate(() => "axe" in window))) {
    await page.evaluate(axe.source);
  }
  // The pages have no frames; their content would not be checked.
  expect(page.frames()).toHaveLength(1);
  const violations = await page.evaluate(
    async ([options, parts]) => {
      const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(parts, options);
      return violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("\n  ")}`,
      );
    },
    [{ ...rules, resultTypes: ["violations"] } satisfies RunOptions, parts] as const,
  );
  expect.soft(violations, page.url()).toEqual([]);
  await expectOutlines(page);
}

/**
 * Opens drawers, dialogs and menus one after the other, by a press or with parameters of the
 * address, checks each with axe, and closes it with Esc.
 */
export async function expectEachAccessible(page: Page, ways: (Locator | string)[]): Promise<void> {
  const opened = page.locator("[role=dialog]:visible, [role=menu]:visible, [role=listbox]:visible");
  const before = await opened.count();
  // A menu or dialog is checked once it is open. tests/motion.spec.ts holds that nothing moves before that.
  await page.emulateMedia({ reducedMotion: "reduce" });
  for (const way of ways) {
    await test.step(`${way}`, async () => {
      if (typeof way === "string") {
        const { pathname, search } = new URL(page.url());
        await goTo(page, `${pathname}${search}&${way}`);
      } else {
        await way.click();
      }
      await expect.poll(() => opened.count(), { intervals: [20] }).toBeGreaterThan(before);
      await expectOpenedAccessible(page);
      await page.keyboard.press("Escape");
      await expect(opened).toHaveCount(before);
    });
  }
}
