// Performs a task with the pointer, with the keyboard only, or on a phone. Together, the three ways
// cover both languages, both themes and both sizes, so that each task is written only once.

import { expect, type Locator, type Page } from "@playwright/test";
import type { Texts } from "../src/texts/en";
import { en } from "../src/texts/en";
import { zh } from "../src/texts/zh";
import { type Look, open } from "./fixtures";
import type { Server } from "./server";

export interface Way extends Look {
  name: string;
  /** Nothing is done with the pointer: everything is reached with Tab and arrow keys. */
  keyboard: boolean;
}

export const pointer: Way = { name: "with the pointer", language: "en", theme: "light", phone: false, keyboard: false };
export const keyboard: Way = { name: "with the keyboard alone", language: "en", theme: "dark", phone: false, keyboard: true };
export const phone: Way = { name: "in Chinese, on a phone in the dark", language: "zh", theme: "dark", phone: true, keyboard: false };

/** More than the number of tab stops on any page or dialog. */
const stops = 200;

/** Performs a user's actions in the way of the test, and knows the texts in its language. */
export class Hand {
  readonly t: Texts;
  constructor(
    private readonly page: Page,
    readonly way: Way,
  ) {
    this.t = way.language === "zh" ? zh : en;
  }

  /** Opens a path of the console, logged in. */
  async open(server: Server, path: string): Promise<void> {
    await open(this.page, server, path, this.way);
  }

  /** Presses a button, follows a link, selects a tab, a menu entry or a radio button, or toggles a switch. */
  async press(target: Locator): Promise<void> {
    await expect(target).toBeAttached();
    const role = await target.evaluate((element) => (element as HTMLInputElement).type ?? element.getAttribute("role"));
    if (!this.way.keyboard) {
      // The label of a radio button or a switch is its visible part.
      await (role === "radio" ? this.page.locator(`label[for="${await target.getAttribute("id")}"]`) : target).click();
      return;
    }
    await this.reach(target);
    if (role === "radio") {
      await expect(target).toBeChecked();
    } else {
      await this.page.keyboard.press(role === "checkbox" ? "Space" : "Enter");
    }
  }

  /** Goes to another page of the console. */
  async go(name: keyof Texts["frame"]["pages"]): Promise<void> {
    const { menu, navigation, pages } = this.t.frame;
    if (this.way.phone) {
      await this.press(this.page.getByRole("button", { name: menu, exact: true }));
    }
    await this.press(this.page.getByRole("navigation", { name: navigation }).getByRole("link", { name: pages[name], exact: true }));
  }

  /** Presses the shortcut of `target`, or, in ways without shortcuts, `target` itself. */
  async shortcut(key: string, target: Locator): Promise<void> {
    await expect(target).toBeVisible();
    if (this.way.keyboard) {
      await this.page.keyboard.press(key);
    } else {
      await target.click();
    }
  }

  /** Types a text into the palette, and opens the result with this name. */
  async find(text: string, name: string | RegExp): Promise<void> {
    const { palette } = this.t.frame;
    await this.shortcut("ControlOrMeta+k", this.page.getByRole("button", { name: palette.open }));
    const query = this.page.getByRole("combobox", { name: palette.placeholder });
    await expect(query).toBeFocused();
    await this.fill(query, text);
    const entry = this.page.getByRole("option", { name }).first();
    if (this.way.keyboard) {
      await this.arrowTo(entry, async () => (await entry.getAttribute("aria-selected")) === "true");
    } else {
      await entry.click();
    }
  }

  /** Replaces the text of a field. */
  async fill(target: Locator, text: string): Promise<void> {
    // In a text with syntax colours, users type over the old text.
    if (this.way.keyboard || (await target.getAttribute("contenteditable"))) {
      await (this.way.keyboard ? this.reach(target) : target.click());
      await this.page.keyboard.press("ControlOrMeta+a");
      await this.page.keyboard.press("Delete");
      await this.page.keyboard.insertText(text);
    } else {
      await target.fill(text);
    }
  }

  /** Chooses an option of a drop-down list. */
  async choose(target: Locator, option: string | RegExp): Promise<void> {
    const entry = this.page.getByRole("option", { name: option, ...(typeof option === "string" && { exact: true }) });
    if (!this.way.keyboard) {
      await target.click();
      await entry.click();
      return;
    }
    await this.reach(target);
    await this.page.keyboard.press("ArrowDown");
    // The selection moves if options arrive while the list is open.
    await expect(async () => {
      await this.arrowTo(entry, async () => (await entry.getAttribute("data-combobox-selected")) !== null);
      // The list closes, or stays open and shows that the option is selected.
      const taken = () => entry.evaluateAll((all) => all.every((option) => option.hasAttribute("data-checked")));
      await expect.poll(taken, { timeout: 1000 }).toBe(true);
    }).toPass();
  }

  /** Presses a button that opens a menu, and chooses an entry of it. */
  async menu(button: Locator, entry: string): Promise<void> {
    await this.press(button);
    await this.press(this.page.getByRole("menuitem", { name: entry, exact: true }));
  }

  /** Moves down a list until Enter would select the entry, and selects it. */
  private async arrowTo(entry: Locator, chosen: () => Promise<boolean>): Promise<void> {
    await expect(entry).toBeVisible();
    for (let i = 0; i < stops && !(await chosen()); i++) {
      await this.page.keyboard.press("ArrowDown");
    }
    await this.page.keyboard.press("Enter");
  }

  /** Moves the focus with Tab, and with arrow keys within groups with a single tab stop, until `target` has it. */
  private async reach(target: Locator): Promise<void> {
    // Only the keyboard uses a radio button; the pointer uses its label.
    await expect(target).toBeAttached();
    for (let i = 0; i < stops; i++) {
      const key = await target.evaluate((element) => {
        const active = document.activeElement;
        if (active === element || (element.contains(active) && (active as HTMLElement).isContentEditable)) {
          return null;
        }
        const group = element.closest("[role=menu],[role=tablist],[role=radiogroup]");
        if (!group?.contains(active)) {
          const before = active !== document.body && element.compareDocumentPosition(active!) & Node.DOCUMENT_POSITION_FOLLOWING;
          return before ? "Shift+Tab" : "Tab";
        }
        const members = [...group.querySelectorAll("[role=menuitem],[role=tab],input[type=radio]")];
        return members.indexOf(element) < members.indexOf(active!) ? "ArrowUp" : "ArrowDown";
      });
      if (key === null) {
        return;
      }
      const inTabs = key.startsWith("Arrow") && (await target.getAttribute("role")) === "tab";
      await this.page.keyboard.press(inTabs ? (key === "ArrowUp" ? "ArrowLeft" : "ArrowRight") : key);
    }
    throw new Error(`the keyboard does not reach ${target}`);
  }
}
