// Parts of a page that ask for their data when they are scrolled into view, so that the first view
// of a long page needs few requests.

import { Paper } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";

/** Shows `children` once their place has been in view; until then a box of about their height. */
export function WhenSeen({ height, children }: { height: number; children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (!element) {
      return;
    }
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) {
        setSeen(true);
      }
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return seen ? children : <Paper ref={place} withBorder h={height} data-later aria-hidden="true" />;
}
