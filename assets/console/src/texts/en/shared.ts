// Texts shared by pages.

export { common } from "./common";
export { fields } from "./fields";
export { frame } from "./frame";
export { sent } from "./sent";
export { start } from "./start";
