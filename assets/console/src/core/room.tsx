// The room of a text that arrives later.

import type { ReactNode } from "react";

/** Shows a text, once it is there, in the room of a typical one, so that it moves nothing below. */
export function Room({ of, children }: { of: string; children: ReactNode }) {
  return (
    <span className="room" data-typical={of}>
      <span>{children}</span>
    </span>
  );
}
