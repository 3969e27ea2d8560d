// The height of the place where a figure shows its drawing.

import { createContext } from "react";

/** Height in pixels. */
export const StageHeight = createContext(260);
