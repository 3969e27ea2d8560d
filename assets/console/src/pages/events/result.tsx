// The result of a query, and a button that saves the query as a card.

import { Button, Group, Modal, Paper, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconLayoutDashboard } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import type { Card } from "svc-sdk";
import { useAsked } from "../../charts/asked";
import { Figure } from "../../charts/figure";
import { useRangeText } from "../../charts/rangetext";
import { useAddressPart } from "../../core/address";
import { messagesOf } from "../../core/client";
import { useGo } from "../../core/go";
import { useAdmin, useProjectKey } from "../../core/project";
import type { Range } from "../../core/range";
import { useTexts } from "../../core/texts";
import { ask, complete, finishedMetric, layoutOf, metricOf, mostUnit, type Question, unitOf } from "./analysis";
import { cardsKey, useCards } from "./cards";
import { draw, unitOfMetric } from "./draw";
import { currentRange } from "./frame";
import type { EventNames } from "./names";
import { FirstEvent } from "./start";

interface AnswerFigureProps {
  id: string;
  title: string;
  definition?: string | undefined;
  question: Question;
  range: Range;
  names: EventNames;
  height?: number;
  grows?: boolean;
  legend?: boolean;
  note?: boolean;
  level?: 2 | 3;
  actions?: ReactNode;
  controls?: ReactNode;
  heading?: ReactNode;
  /** The unit of the numbers, if a user has entered one. */
  unit?: string;
  /** Adds a condition to the query: the property by which it is grouped must have this value. */
  narrow?: (value: string) => void;
}

/** Sends a query and draws its result. Display names that are loaded later only change the labels. */
export function AnswerFigure({ question, range, names, unit = "", narrow, ...figure }: AnswerFigureProps) {
  const { events: texts } = useTexts();
  const about = useRangeText(range);
  const text = JSON.stringify(question);
  const query = useAsked({ key: ["analysis", text, range.start, range.end], ask: (admin, signal) => ask(admin, question, range, signal) });
  return (
    <Figure
      {...figure}
      unit={question.kind === "metric" && question.query.type !== "value" ? unitOfMetric(question.query, unit, texts) : ""}
      about={about}
      query={query}
      deps={[texts, names, range, text, unit]}
      draw={(answer, words) => draw(question, answer, { words, texts, labelOf: names.labelOf, range, unit, narrow })}
    />
  );
}

interface ResultProps extends Omit<AnswerFigureProps, "id"> {
  /** The card whose query is being edited, if there is one. */
  card?: Card | undefined;
  /** Whether an input is invalid. The input itself shows the reason. */
  wrong?: boolean;
}

/** The result below an editor. If the query is incomplete, it explains what is missing. */
export function Result({ card, wrong = false, ...props }: ResultProps) {
  const { events: texts } = useTexts();
  if (props.names.ready && props.names.list.length === 0) {
    return <FirstEvent />;
  }
  if (wrong || !complete(props.question)) {
    return (
      <Paper withBorder p="xl">
        <Text c="dimmed" ta="center" size="sm">
          {wrong ? texts.wrong : (props.question.kind === "retention" ? texts.retention : texts).incomplete}
        </Text>
      </Paper>
    );
  }
  return (
    <AnswerFigure
      {...props}
      id="result"
      controls={<SaveCard key={card?.card_id} question={props.question} card={card} suggestion={props.title} />}
    />
  );
}

function SaveCard({ question, card, suggestion }: { question: Question; card: Card | undefined; suggestion: string }) {
  const { common, events: texts } = useTexts();
  const [opened, { open, close }] = useDisclosure(false);
  const [project] = useProjectKey();
  const admin = useAdmin();
  const queries = useQueryClient();
  const go = useGo();
  const [title, setTitle] = useState(card?.title ?? "");
  const [description, setDescription] = useState(card?.description ?? "");
  const [unit, setUnit] = useState(unitOf(card?.layout ?? null));
  // Until the cards have been loaded, the page knows only the ID of the card.
  const loading = Boolean(useAddressPart("card")) && !useCards().isFetched;
  const save = useMutation({
    mutationFn: async () => {
      const fields = {
        title: title.trim() || suggestion,
        description: description.trim() || null,
        query: finishedMetric(metricOf(question)),
      };
      const layout = { ...layoutOf(question), ...(unit.trim() && { unit: unit.trim() }) };
      if (card) {
        const { w, h } = { ...layout, ...card.layout };
        return admin.updateDashboardCard(card.card_id, { ...fields, layout: { ...layout, w, h } });
      }
      const { data } = await admin.listDashboardCards();
      const last = Math.max(-1, ...data.map(({ sort_order }) => sort_order));
      return admin.createDashboardCard({ ...fields, layout, sort_order: last + 1 } as never);
    },
    onSuccess: async () => {
      close();
      await queries.invalidateQueries({ queryKey: cardsKey(project) });
      const id = notifications.show({
        closeButtonProps: { "aria-label": common.close },
        message: (
          <Group justify="space-between" wrap="nowrap">
            <Text size="sm">{texts.card.saved}</Text>
            <Button
              size="compact-sm"
              variant="light"
              onClick={() => {
                notifications.hide(id);
                go({ to: "/admin/events/dashboard", search: { project, ...currentRange() } });
              }}
            >
              {texts.card.open}
            </Button>
          </Group>
        ),
      });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <>
      <Button variant="default" size="xs" leftSection={<IconLayoutDashboard size={16} aria-hidden />} disabled={loading} onClick={open}>
        {card ? texts.card.update : texts.card.save}
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={card ? texts.card.update : texts.card.save}
        closeButtonProps={{ "aria-label": common.close }}
      >
        <form onSubmit={submit}>
          <Stack gap="sm">
            <TextInput
              label={texts.card.title}
              placeholder={suggestion}
              maxLength={128}
              value={title}
              onChange={(event) => setTitle(event.currentTarget.value)}
              error={save.error && messagesOf(save.error).join(" ")}
              data-autofocus
            />
            <Textarea
              label={texts.card.description}
              maxLength={512}
              autosize
              minRows={2}
              value={description}
              onChange={(event) => setDescription(event.currentTarget.value)}
            />
            {question.kind === "metric" && (
              <TextInput
                label={texts.card.unit}
                description={texts.card.unitHint}
                maxLength={mostUnit}
                value={unit}
                onChange={(event) => setUnit(event.currentTarget.value)}
              />
            )}
            {question.kind === "funnel" && (
              <Text size="xs" c="dimmed">
                {texts.card.funnelNote}
              </Text>
            )}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {common.cancel}
              </Button>
              <Button type="submit" loading={save.isPending}>
                {common.save}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
