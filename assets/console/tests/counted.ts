// Counts the actions of a task: an action is a press, a choice or a text that is typed.

import { expect, type Locator } from "@playwright/test";
import type { Hand } from "./hand";

const most = 5;

/** Counts what a person does. Opening the menu of pages on a phone belongs to choosing a page. */
export class Counted {
  actions = 0;
  constructor(private readonly hand: Hand) {}

  async go(name: Parameters<Hand["go"]>[0]): Promise<void> {
    this.actions++;
    await this.hand.go(name);
  }

  /** Presses an element; with a pointer at a position in it, if there is one. */
  async press(target: Locator, position?: { x: number; y: number }): Promise<void> {
    this.actions++;
    if (position && !this.hand.way.keyboard) {
      await target.click({ position });
    } else {
      await this.hand.press(target);
    }
  }

  async choose(target: Locator, option: string | RegExp): Promise<void> {
    this.actions++;
    await this.hand.choose(target, option);
  }

  async fill(target: Locator, text: string): Promise<void> {
    this.actions++;
    await this.hand.fill(target, text);
  }

  expectFew(): void {
    expect(this.actions, "actions").toBeLessThanOrEqual(most);
  }
}
