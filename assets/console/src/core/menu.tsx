// A button with a menu. Rendering a closed menu costs more than the remainder of a table row, so
// the menu is only created when it is first opened.

import { Menu as MantineMenu, type MenuProps } from "@mantine/core";
import {
  cloneElement,
  type HTMLAttributes,
  type ReactElement,
  type ReactNode,
  type RefAttributes,
  useEffect,
  useRef,
  useState,
} from "react";

type Target = ReactElement<HTMLAttributes<HTMLButtonElement> & RefAttributes<HTMLButtonElement>>;

interface Props extends Omit<MenuProps, "children" | "opened" | "onChange"> {
  /** The button. */
  target: Target;
  /** Contents of the menu. */
  items: () => ReactNode;
}

export function Menu(props: Props) {
  const [wanted, setWanted] = useState(false);
  return wanted ? (
    <Opened {...props} />
  ) : (
    cloneElement(props.target, { "aria-haspopup": "menu", "aria-expanded": false, onClick: () => setWanted(true) })
  );
}

function Opened({ target, items, ...props }: Props) {
  const [opened, setOpened] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  // This button replaces the one that was pressed. It takes the focus before the menu does, so that
  // the focus returns to it when the menu closes.
  useEffect(() => {
    button.current?.focus({ preventScroll: true });
    setOpened(true);
  }, []);
  return (
    <MantineMenu {...props} opened={opened} onChange={setOpened}>
      <MantineMenu.Target>{cloneElement(target, { ref: button })}</MantineMenu.Target>
      <MantineMenu.Dropdown mah={400} className="scrolls">
        {items()}
      </MantineMenu.Dropdown>
    </MantineMenu>
  );
}

Menu.Item = MantineMenu.Item;
Menu.CheckboxItem = MantineMenu.CheckboxItem;
Menu.RadioGroup = MantineMenu.RadioGroup;
Menu.RadioItem = MantineMenu.RadioItem;
Menu.Divider = MantineMenu.Divider;
Menu.Label = MantineMenu.Label;
