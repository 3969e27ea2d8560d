// Theme, language and logout, at the bottom of the side bar and on the login page.

import { ActionIcon, Group, type MantineColorScheme, Tooltip, useMantineColorScheme } from "@mantine/core";
import { IconDeviceDesktop, IconLanguage, IconLogout, IconMoon, IconSun } from "@tabler/icons-react";
import { Menu } from "../core/menu";
import { logOut } from "../core/session";
import { type Language, useLanguage } from "../core/texts";

/** The name of each language, in that language. */
export const languages: Record<Language, string> = { en: "English", zh: "简体中文" };

export const themes = [
  ["auto", IconDeviceDesktop],
  ["light", IconSun],
  ["dark", IconMoon],
] as const;

export function Preferences({ loggedIn = true }: { loggedIn?: boolean }) {
  const { texts, language, choose } = useLanguage();
  const { frame } = texts;
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const Shown = themes.find(([name]) => name === colorScheme)?.[1] ?? IconDeviceDesktop;
  return (
    <Group gap={4} wrap="nowrap">
      <Menu
        position="top-start"
        withinPortal={false}
        target={
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={texts.common.labelled(frame.theme.label, frame.theme[colorScheme])}
          >
            <Shown size={18} stroke={1.6} aria-hidden />
          </ActionIcon>
        }
        items={() => (
          <>
            <Menu.RadioGroup value={colorScheme} onChange={(name) => setColorScheme(name as MantineColorScheme)}>
              {themes.map(([name]) => (
                <Menu.RadioItem key={name} value={name} closeMenuOnClick>
                  {frame.theme[name]}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </>
        )}
      />
      <Menu
        position="top-start"
        withinPortal={false}
        target={
          <ActionIcon variant="subtle" color="gray" size={36} aria-label={texts.common.labelled(frame.language, languages[language])}>
            <IconLanguage size={18} stroke={1.6} aria-hidden />
          </ActionIcon>
        }
        items={() => (
          <>
            <Menu.RadioGroup value={language} onChange={(tag) => choose(tag as Language)}>
              {(Object.keys(languages) as Language[]).map((tag) => (
                <Menu.RadioItem key={tag} value={tag} closeMenuOnClick lang={tag === "zh" ? "zh-Hans" : tag}>
                  {languages[tag]}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </>
        )}
      />
      {loggedIn && (
        <Tooltip label={frame.logOut}>
          <ActionIcon variant="subtle" color="gray" size={36} ms="auto" aria-label={frame.logOut} onClick={logOut}>
            <IconLogout size={18} stroke={1.6} aria-hidden />
          </ActionIcon>
        </Tooltip>
      )}
    </Group>
  );
}
