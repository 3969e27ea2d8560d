// A row of links that scrolls sideways on narrow screens.

import { useRouter } from "@tanstack/react-router";
import { type RefObject, useLayoutEffect, useRef } from "react";

/** Returns the ref for a row of links. After each navigation, it scrolls the row to the link of the current page. */
export function useCurrentInView(): RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null);
  const router = useRouter();
  useLayoutEffect(() => {
    const show = () => row.current?.querySelector(`[aria-current="page"]`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
    show();
    // Once a page is rendered, the router gives the row the scroll position that it had on the
    // previous page. This listener runs after that.
    return router.subscribe("onRendered", show);
  }, [router]);
  return row;
}
