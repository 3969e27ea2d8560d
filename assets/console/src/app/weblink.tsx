// Addresses that people entered as free text.

import { Anchor, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyIcon } from "./copy";

/** Whether a browser can open a text as an address; any other must not become a link. */
export function isWebAddress(text: string): boolean {
  return /^(https?|ftp):\/\/[^/?#\s]/i.test(text.trim());
}

interface Props {
  address: string;
  /** What the link says; the address unless given. */
  children?: ReactNode;
}

/** A link, or the text where it is no address that a browser can open. */
export function WebLink({ address, children = address }: Props) {
  if (!isWebAddress(address)) {
    return <bdi>{address}</bdi>;
  }
  return (
    <Anchor href={address.trim()} target="_blank" rel="noopener noreferrer" inherit dir="auto" className="lone">
      {children}
    </Anchor>
  );
}

/** The same with a button that copies the address. */
export function WebLinkToCopy(props: Props) {
  return (
    <Group gap={4} wrap="nowrap">
      <WebLink {...props} />
      <CopyIcon text={props.address} />
    </Group>
  );
}
