// The exports of the two files for web pages.

export * from "../typescript/src/exports.js";
export { SvcClient, SvcSDK } from "../typescript/src/browser.js";
