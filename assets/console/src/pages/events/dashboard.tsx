// The dashboard: saved queries about the current range. All of them are sent at the same time.

import { ActionIcon, Button, Group, Modal, Skeleton, Stack, Text, TextInput, Title } from "@mantine/core";
import { IconDots, IconEdit, IconGripVertical, IconPencil, IconTrash } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type KeyboardEvent, type PointerEvent, useRef, useState } from "react";
import type { Card, CardFields } from "svc-sdk";
import { messagesOf } from "../../core/client";
import { Failure } from "../../core/failure";
import { PageLink, useGo } from "../../core/go";
import { Menu } from "../../core/menu";
import { noticeDone, noticeFailure } from "../../core/notice";
import { useAdmin, useProjectKey } from "../../core/project";
import type { Range } from "../../core/range";
import { useTexts } from "../../core/texts";
import { type CardSize, cardHeights, cardWidths, editorOf, moved, type Question, questionOf, sizeOf, unitOf } from "./analysis";
import { cardsKey, useCards } from "./cards";
import styles from "./events.module.css";
import { currentRange, EventsFrame } from "./frame";
import { useEventNames } from "./names";
import { AnswerFigure } from "./result";

export default function DashboardPage() {
  return (
    <EventsFrame page="dashboard" operations={["listCards", "createCard", "updateCard", "deleteCard", "analyseMetric"]}>
      {(range) => <Dashboard range={range} />}
    </EventsFrame>
  );
}

function Dashboard({ range }: { range: Range }) {
  const texts = useTexts();
  const { dashboard } = texts.events;
  const [project] = useProjectKey();
  const admin = useAdmin();
  const queries = useQueryClient();
  const names = useEventNames(range);
  const cards = useCards();
  const [dragged, setDragged] = useState<string | null>(null);
  const [said, say] = useState("");
  const [choice, choose] = useState<Choice | null>(null);
  const grid = useRef<HTMLDivElement>(null);
  const start = useRef<Card[]>([]);
  const key = cardsKey(project);
  const list = cards.data ?? [];
  const show = (next: Card[]) => queries.setQueryData(key, next);

  // Saves the positions of all moved cards at once.
  const save = async (next: Card[], before: Card[]) => {
    try {
      await Promise.all(
        next.map((card, place) => (card.sort_order === place ? null : admin.updateDashboardCard(card.card_id, { sort_order: place }))),
      );
      show(next.map((card, place) => ({ ...card, sort_order: place })));
    } catch (error) {
      show(before);
      noticeFailure(texts, error);
      await queries.invalidateQueries({ queryKey: key });
    }
  };
  const step = (index: number, to: number) => {
    const next = moved(list, index, to);
    const card = list[index]!;
    show(next);
    say(dashboard.moved(card.title, next.indexOf(card) + 1, next.length));
    void save(next, list);
  };
  const onKeys = (event: KeyboardEvent, index: number) => {
    const to = { ArrowLeft: index - 1, ArrowUp: index - 1, ArrowRight: index + 1, ArrowDown: index + 1, Home: 0, End: list.length - 1 }[
      event.key
    ];
    if (to === undefined) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (to >= 0 && to < list.length && to !== index) {
      step(index, to);
    }
  };
  const onDown = (event: PointerEvent, card: Card) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    start.current = list;
    setDragged(card.card_id);
  };
  const onMove = (event: PointerEvent, card: Card) => {
    if (dragged !== card.card_id) {
      return;
    }
    const below = document
      .elementsFromPoint(event.clientX, event.clientY)
      .find((element) => element instanceof HTMLElement && element.dataset["card"] && element.dataset["card"] !== card.card_id);
    const to = list.findIndex(({ card_id }) => card_id === (below as HTMLElement | undefined)?.dataset["card"]);
    if (to >= 0) {
      show(
        moved(
          list,
          list.findIndex(({ card_id }) => card_id === card.card_id),
          to,
        ),
      );
    }
  };
  const onUp = (card: Card) => {
    if (dragged === card.card_id) {
      setDragged(null);
      void save(list, start.current);
    }
  };

  if (cards.error && !cards.data) {
    return <Failure error={cards.error} retry={() => void cards.refetch()} />;
  }
  if (!cards.data) {
    return (
      <div className={styles.cards}>
        {[0, 1, 2, 3].map((place) => (
          <Skeleton key={place} height={290} />
        ))}
      </div>
    );
  }
  if (list.length === 0) {
    return (
      <Stack align="center" gap="xs" py={64}>
        <Title order={2} size="h4">
          {dashboard.empty}
        </Title>
        <Text c="dimmed" ta="center" maw={480}>
          {dashboard.emptyText}
        </Text>
        <Button variant="light" renderRoot={(props) => <PageLink to="/admin/events/explore" search={{ project }} {...props} />}>
          {dashboard.toExplore}
        </Button>
      </Stack>
    );
  }
  return (
    <>
      <div className={styles.cards} ref={grid}>
        {list.map((card, index) => {
          const question = questionOf(card.query, card.layout ?? null);
          const size = sizeOf(card.layout ?? null);
          return (
            <div
              key={card.card_id}
              data-card={card.card_id}
              data-width={size.w}
              className={`${styles.card} ${dragged === card.card_id ? styles.dragged : ""}`}
            >
              <AnswerFigure
                id={card.card_id}
                title={card.title}
                definition={card.description ?? undefined}
                question={question}
                range={range}
                names={names}
                unit={unitOf(card.layout ?? null)}
                height={size.h === 1 ? 112 : 240}
                note={question.kind === "funnel"}
                legend={
                  size.h > 1 &&
                  question.kind === "metric" &&
                  question.query.type === "timeseries" &&
                  question.query.events.length > 1 &&
                  !question.query.formula
                }
                actions={
                  <>
                    <CardMenu card={card} question={question} size={size} choose={(what) => choose({ card, what })} />
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      className={styles.handle}
                      aria-label={dashboard.move(card.title)}
                      onKeyDown={(event) => onKeys(event, index)}
                      onPointerDown={(event) => onDown(event, card)}
                      onPointerMove={(event) => onMove(event, card)}
                      onPointerUp={() => onUp(card)}
                      onPointerCancel={() => onUp(card)}
                    >
                      <IconGripVertical size={16} aria-hidden />
                    </ActionIcon>
                  </>
                }
              />
            </div>
          );
        })}
      </div>
      <CardDialogs choice={choice} close={() => choose(null)} />
      <div className="offscreen" role="status">
        {said}
      </div>
    </>
  );
}

/** The action that the user has selected in the menu of a card. */
interface Choice {
  card: Card;
  what: "rename" | "remove";
}

interface CardMenuProps {
  card: Card;
  question: Question;
  size: CardSize;
  choose(what: Choice["what"]): void;
}

function CardMenu({ card, question, size, choose }: CardMenuProps) {
  const texts = useTexts();
  const { dashboard } = texts.events;
  const [project] = useProjectKey();
  const admin = useAdmin();
  const queries = useQueryClient();
  const go = useGo();
  const resize = async (part: Partial<CardSize>) => {
    try {
      await admin.updateDashboardCard(card.card_id, { layout: { ...card.layout, ...size, ...part } });
      await queries.invalidateQueries({ queryKey: cardsKey(project) });
    } catch (error) {
      noticeFailure(texts, error);
    }
  };
  const edit = () => {
    const { page, search } = editorOf(question, card.card_id);
    go({ to: `/admin/events/${page}`, search: { ...search, project, ...currentRange() } });
  };
  return (
    <Menu
      position="bottom-end"
      target={
        <ActionIcon variant="subtle" color="gray" aria-label={dashboard.actions(card.title)}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      }
      items={() => (
        <>
          <Menu.Item leftSection={<IconPencil size={14} aria-hidden />} onClick={() => choose("rename")}>
            {dashboard.rename}
          </Menu.Item>
          <Menu.Item leftSection={<IconEdit size={14} aria-hidden />} onClick={edit}>
            {dashboard.edit}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Label>{dashboard.width}</Menu.Label>
          <Menu.RadioGroup value={String(size.w)} onChange={(w) => void resize({ w: Number(w) as CardSize["w"] })}>
            {cardWidths.map((w) => (
              <Menu.RadioItem key={w} value={String(w)} closeMenuOnClick>
                {dashboard.widths[w]}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
          <Menu.Label>{dashboard.height}</Menu.Label>
          <Menu.RadioGroup value={String(size.h)} onChange={(h) => void resize({ h: Number(h) as CardSize["h"] })}>
            {cardHeights.map((h) => (
              <Menu.RadioItem key={h} value={String(h)} closeMenuOnClick>
                {dashboard.heights[h]}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<IconTrash size={14} aria-hidden />} onClick={() => choose("remove")}>
            {texts.common.delete}
          </Menu.Item>
        </>
      )}
    />
  );
}

/** The dialogs of all cards. There is only one of each kind, because rendering a closed dialog takes time, too. */
function CardDialogs({ choice, close }: { choice: Choice | null; close(): void }) {
  const texts = useTexts();
  const { dashboard } = texts.events;
  const { common } = texts;
  const [project] = useProjectKey();
  const admin = useAdmin();
  const queries = useQueryClient();
  // Keep showing the card while its dialog is closing.
  const last = useRef<Card>(undefined);
  last.current = choice?.card ?? last.current;
  const card = last.current;
  const refresh = () => queries.invalidateQueries({ queryKey: cardsKey(project) });
  const remove = useMutation({
    mutationFn: () => admin.deleteDashboardCard(card!.card_id),
    onSuccess: async () => {
      close();
      noticeDone(texts, dashboard.deleted);
      await refresh();
    },
  });
  const cancel = () => {
    remove.reset();
    close();
  };
  return (
    <>
      <Modal opened={choice?.what === "rename"} onClose={close} title={dashboard.rename} closeButtonProps={{ "aria-label": common.close }}>
        {card && <RenameForm key={card.card_id} card={card} close={close} refresh={refresh} />}
      </Modal>
      <Modal
        opened={choice?.what === "remove"}
        onClose={cancel}
        title={card && dashboard.remove(card.title)}
        closeButtonProps={{ "aria-label": common.close }}
      >
        <Stack gap="sm">
          <Text size="sm">{dashboard.removeText}</Text>
          {remove.error && <Failure error={remove.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={cancel} data-autofocus>
              {common.cancel}
            </Button>
            <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
              {common.delete}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

function RenameForm({ card, close, refresh }: { card: Card; close(): void; refresh(): Promise<void> }) {
  const { common, events } = useTexts();
  const admin = useAdmin();
  const [title, setTitle] = useState(card.title);
  const [description, setDescription] = useState(card.description ?? "");
  const change = useMutation({
    mutationFn: (fields: CardFields) => admin.updateDashboardCard(card.card_id, fields),
    onSuccess: async () => {
      close();
      await refresh();
    },
  });
  const rename = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ title: title.trim(), description: description.trim() || null });
  };
  return (
    <form onSubmit={rename}>
      <Stack gap="sm">
        <TextInput
          label={events.card.title}
          required
          maxLength={128}
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
          error={change.error && messagesOf(change.error).join(" ")}
          data-autofocus
        />
        <TextInput
          label={events.card.description}
          maxLength={512}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={change.isPending}>
            {common.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
