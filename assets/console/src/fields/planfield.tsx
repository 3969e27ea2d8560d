import { ActionIcon, Button, Fieldset, Group, Input, NumberInput, SimpleGrid, Stack, Switch, Text } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useTexts } from "../core/texts";
import type { FieldProps } from "./field";
import classes from "./fields.module.css";
import type { Plan, StepDraft } from "./plan";
import { PlatformsField } from "./platforms";
import { TagsField } from "./tags";
import { VersionField } from "./version";

/** The server's maximum, without the last step, which has no inputs. */
const most = 19;

/** A field for the steps of a rollout and the clients to which it is limited. */
export function PlanField({ label, value, onChange, error, description, started = false }: FieldProps<Plan> & { started?: boolean }) {
  const { plan: texts } = useTexts().rollouts;
  const set = (part: Partial<Plan>) => onChange({ ...value, ...part });
  const setStep = (at: number, part: Partial<StepDraft>) =>
    set({ steps: value.steps.map((step, i) => (i === at ? { ...step, ...part } : step)) });
  return (
    <Fieldset legend={label} variant="unstyled" className={classes.group}>
      <Stack gap="sm">
        <Input.Description>{description ?? texts.stepsHint}</Input.Description>
        {value.steps.map((step, at) => (
          <Group key={at} gap="xs" wrap="nowrap" align="flex-end" role="group" aria-label={texts.step(at + 1)}>
            <NumberInput
              flex={1}
              size="xs"
              label={texts.percent}
              min={0}
              max={100}
              decimalScale={2}
              suffix=" %"
              hideControls
              value={step.percent}
              onChange={(percent) => setStep(at, { percent })}
            />
            <NumberInput
              flex={1}
              size="xs"
              label={texts.hours}
              min={0}
              max={2160}
              decimalScale={2}
              hideControls
              value={step.hours}
              onChange={(hours) => setStep(at, { hours })}
            />
            <NumberInput
              flex={1}
              size="xs"
              label={texts.users}
              min={0}
              max={1_000_000}
              allowDecimal={false}
              hideControls
              value={step.users}
              onChange={(users) => setStep(at, { users })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={30}
              aria-label={texts.remove(at + 1)}
              onClick={() => set({ steps: value.steps.filter((_, other) => other !== at) })}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        ))}
        <Group gap="xs" justify="space-between">
          <Text size="sm">{texts.last}</Text>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={16} />}
            disabled={value.steps.length >= most}
            onClick={() => set({ steps: [...value.steps, { percent: "", hours: "", users: "" }] })}
          >
            {texts.add}
          </Button>
        </Group>
        {error && <Input.Error>{error}</Input.Error>}
        <NumberInput
          label={started ? texts.now : texts.begin}
          description={started ? texts.nowHint : texts.beginHint}
          min={0}
          max={100}
          decimalScale={2}
          suffix=" %"
          hideControls
          value={value.percent}
          onChange={(percent) => set({ percent })}
        />
        <Switch
          label={texts.auto}
          description={texts.autoHint}
          checked={value.auto_advance}
          onChange={({ currentTarget }) => set({ auto_advance: currentTarget.checked })}
        />
        <Switch
          label={texts.health}
          description={texts.healthHint}
          checked={value.health}
          onChange={({ currentTarget }) => set({ health: currentTarget.checked })}
        />
        <PlatformsField label={texts.platforms} value={value.platforms} onChange={(platforms) => set({ platforms })} />
        <TagsField
          label={texts.countries}
          description={texts.countriesHint}
          max={250}
          value={value.countries}
          onChange={(countries) => set({ countries })}
        />
        <SimpleGrid cols={2} spacing="sm">
          <VersionField label={texts.min} value={value.current_min} onChange={(current_min) => set({ current_min })} />
          <VersionField label={texts.max} value={value.current_max} onChange={(current_max) => set({ current_max })} />
        </SimpleGrid>
      </Stack>
    </Fieldset>
  );
}
