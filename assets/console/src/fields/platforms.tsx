import { Chip, Group, Input, Text } from "@mantine/core";
import {
  IconBrandAndroid,
  IconBrandApple,
  IconBrandWindows,
  IconDeviceDesktop,
  IconDeviceMobile,
  IconTerminal2,
  IconWorld,
} from "@tabler/icons-react";
import { useId } from "react";
import { useTexts } from "../core/texts";
import type { FieldProps } from "./field";

/** The platforms that the service distinguishes. */
export const platforms = ["windows", "linux", "macos", "ios", "android", "web", "others"] as const;

export type PlatformName = (typeof platforms)[number];

const icons = {
  windows: IconBrandWindows,
  linux: IconTerminal2,
  macos: IconBrandApple,
  ios: IconDeviceMobile,
  android: IconBrandAndroid,
  web: IconWorld,
  others: IconDeviceDesktop,
};

/** Returns a function for the official name of a platform. */
export function usePlatformName(): (platform: string) => string {
  const { platform: names } = useTexts().fields;
  return (platform) => names[platform as PlatformName] ?? platform;
}

/** A field that selects platforms. If none is selected, all are meant. */
export function PlatformsField({ value, onChange, error, label, description }: FieldProps<string[]>) {
  const { fields } = useTexts();
  const name = usePlatformName();
  const id = useId();
  return (
    <Input.Wrapper
      labelElement="div"
      label={label}
      labelProps={{ id }}
      error={error}
      description={description ?? (value.length === 0 ? fields.platforms.all : fields.platforms.only)}
    >
      <Chip.Group multiple value={value} onChange={onChange}>
        <Group gap={8} mt={4} role="group" aria-labelledby={id}>
          {platforms.map((platform) => (
            <Chip key={platform} value={platform} size="xs" variant="light">
              {name(platform)}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </Input.Wrapper>
  );
}

/** A platform with its icon. */
export function PlatformName({ platform }: { platform: string }) {
  const name = usePlatformName();
  const Icon = icons[platform as PlatformName] ?? IconDeviceDesktop;
  return (
    <Group gap={4} wrap="nowrap" component="span" display="inline-flex">
      <Icon size={16} aria-hidden />
      <span>{name(platform)}</span>
    </Group>
  );
}

/** The platforms of a record. */
export function Platforms({ value }: { value: string[] }) {
  const { fields } = useTexts();
  const name = usePlatformName();
  return (
    <Text component="span" size="sm" inherit {...(value.length === 0 && { c: "dimmed" })}>
      {value.length === 0 ? fields.platforms.every : value.map(name).join(", ")}
    </Text>
  );
}
