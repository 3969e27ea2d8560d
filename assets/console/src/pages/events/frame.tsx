// The parts that the seven pages of behaviour analysis share: tabs, range, and getting started.

import { Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { RangeText } from "../../charts/rangetext";
import { SelectionProvider } from "../../charts/select";
import { parseSearch, type Search } from "../../core/address";
import { PageLink } from "../../core/go";
import { useCurrentInView } from "../../core/inview";
import type { Range } from "../../core/range";
import { useTexts } from "../../core/texts";
import { rangeParameters, useRange } from "../../core/userange";
import { PageHead } from "../../resource/head";
import { RangeBar } from "../../resource/rangebar";
import styles from "./events.module.css";

const pages = ["overview", "definitions", "funnel", "retention", "paths", "explore", "dashboard"] as const;

export type EventsPageName = (typeof pages)[number];

/** The ranges of these pages. */
export const ranges = ["24h", "7d", "30d", "90d"] as const;

interface EventsFrameProps {
  page: EventsPageName;
  /** IDs of the operations that the page uses, as in openapi.yaml. */
  operations: string[];
  children(range: Range): ReactNode;
}

export function EventsFrame({ page, operations, children }: EventsFrameProps) {
  const texts = useTexts();
  const state = useRange(ranges);
  const { range } = state;
  return (
    <Stack gap="md">
      <PageHead
        title={texts.frame.pages.events}
        about={<RangeText range={range} />}
        tools={<RangeBar state={state} names={ranges} />}
        operations={operations}
      />
      <EventsTabs page={page} />
      <SelectionProvider value={state.setBetween}>{children(range)}</SelectionProvider>
    </Stack>
  );
}

/** Returns those parameters of an address that hold the range. */
export const rangeOfAddress = (search: Search) => Object.fromEntries(rangeParameters.map((name) => [name, search[name]]));

/** Returns the range parameters of the current address. */
export const currentRange = () => rangeOfAddress(parseSearch(location.search));

/** Links to the seven pages; they keep the range. */
export function EventsTabs({ page }: { page: EventsPageName }) {
  const texts = useTexts();
  return (
    <nav ref={useCurrentInView()} className={styles.tabs} aria-label={texts.frame.pages.events}>
      {pages.map((one) => (
        <PageLink
          key={one}
          to={one === "overview" ? "/admin/events" : `/admin/events/${one}`}
          // Keep only the project and the range, because all other parameters belong to the current
          // page.
          search={(now) => ({ project: now["project"], ...rangeOfAddress(now) })}
          className={`mantine-focus-auto ${styles.tab}`}
          activeOptions={{ exact: true, includeSearch: false }}
          aria-current={one === page ? "page" : undefined}
        >
          {texts.events.pages[one]}
        </PageLink>
      ))}
    </nav>
  );
}
