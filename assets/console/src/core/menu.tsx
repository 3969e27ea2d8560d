// A button with a menu. A closed menu costs more than all else in the row of a table: it is
// made when it is opened first.

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
  /** What is in the menu. */
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
  // This button is another element than the one that was pressed. It has the focus before the
  // menu takes it, so that it is given back.
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
