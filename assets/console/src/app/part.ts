// Parts of the program are loaded when they are needed, and most of them ahead of that: as soon
// as the first page is there and the browser has time.

import { isReachable, untilFound } from "./server";

/** Loads something of the program, as soon as the server can be reached. */
export async function loaded<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (await isReachable()) {
      throw error;
    }
    await untilFound();
    return load();
  }
}
