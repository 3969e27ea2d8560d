// Addresses entered as free text.

import { Anchor, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyIcon } from "./copy";

/** Reports whether a text is an address with a host that a browser can open. Other texts must not become links. */
export function isWebAddress(text: string): boolean {
  return /^(https?|ftp):\/\/[^/?#\s]/i.test(text.trim());
}

interface Props {
  address: string;
  /** The text of the link; by default the address. */
  children?: ReactNode;
}

/** A link, or plain text if a browser cannot open the address. */
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

/** WebLink with a button that copies the address. */
export function WebLinkToCopy(props: Props) {
  return (
    <Group gap={4} wrap="nowrap">
      <WebLink {...props} />
      <CopyIcon text={props.address} />
    </Group>
  );
}
