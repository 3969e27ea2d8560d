// Parts of a page that request their data only when they are scrolled into view, so that a long
// page needs few requests at first.

import { Paper } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";

interface Props {
  /** Height in pixels of the children: in one column on a phone, and beside each other in a wide window. */
  height: { phone: number; wide: number };
  children: ReactNode;
}

/** Shows `children` once their place has come into view. Until then, it shows an empty box of their height. */
export function WhenSeen({ height, children }: Props) {
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
  return seen ? children : <Paper ref={place} withBorder h={{ base: height.phone, md: height.wide }} data-later aria-hidden="true" />;
}
