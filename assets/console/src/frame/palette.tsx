// The command palette. It finds pages, projects and records of the whole instance, creates records,
// and changes preferences.

import { Group, Loader, Modal, Text, useMantineColorScheme } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import {
  IconApps,
  IconKeyboard,
  IconLanguage,
  IconListDetails,
  IconLogout,
  IconMessage2,
  IconPlus,
  IconSearch,
  IconSpeakerphone,
  IconVersions,
} from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from "react";
import type { SearchHit } from "svc-sdk";
import { clientOf } from "../core/client";
import { Failure } from "../core/failure";
import { useFormat } from "../core/format";
import { useGo } from "../core/go";
import { type Path, pageOf, pages, subPages } from "../core/pages";
import { useProjectKey, useProjects } from "../core/project";
import { recent } from "../core/recent";
import { logOut } from "../core/session";
import { remember } from "../core/storage";
import { type Language, useLanguage } from "../core/texts";
import { useFocusReturn } from "../resource/focus";
import classes from "./frame.module.css";
import { languages, themes } from "./preferences";

interface Command {
  id: string;
  label: string;
  /** A text that is shown beside the label. */
  detail?: string;
  icon: ReactNode;
  /** Additional words by which the command is found. */
  words?: string;
  run(): void;
}

const kinds = {
  project: { path: "/admin/projects", icon: IconApps },
  version: { path: "/admin/versions", icon: IconVersions },
  announcement: { path: "/admin/announcements", icon: IconSpeakerphone },
  feedback: { path: "/admin/feedbacks", icon: IconMessage2 },
  log: { path: "/admin/logs", icon: IconListDetails },
} as const;

/** Returns the kind of a search result, or null for a kind that only a newer server knows. */
function kindOf(hit: SearchHit): keyof typeof kinds | null {
  return hit.kind in kinds ? (hit.kind as keyof typeof kinds) : null;
}

/** Reports whether a command contains all words that the user has typed. */
function fits(command: Command, typed: string): boolean {
  const text = `${command.label} ${command.detail ?? ""} ${command.words ?? ""}`.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

const shortest = 2;
const longest = 128;

export default function Palette({ onClose, onKeys }: { onClose: () => void; onKeys: () => void }) {
  const { texts, language, choose } = useLanguage();
  useFocusReturn();
  const { frame } = texts;
  const { palette } = frame;
  const format = useFormat();
  const leadTo = useGo();
  const { data: projects = [] } = useProjects();
  const [project, showProject] = useProjectKey();
  const { setColorScheme } = useMantineColorScheme();
  const [typed, setTyped] = useState("");
  const wanted = typed.trim().slice(0, longest);
  const [paused] = useDebouncedValue(wanted, 250);
  const searching = wanted.length >= shortest;
  const found = useQuery({
    queryKey: ["palette", paused],
    queryFn: ({ signal }) => clientOf("").admin.search({ q: paused, limit: 10 }, { signal }),
    enabled: searching && paused.length >= shortest,
    placeholderData: keepPreviousData,
  });
  const [active, setActive] = useState(0);
  const list = useId();
  useEffect(() => setActive(0), [typed]);

  const go = (to: Path, search: Record<string, string> = {}) => leadTo({ to, search });
  const ofProject = project ? { project } : undefined;
  const size = { size: 18, stroke: 1.6, "aria-hidden": true } as const;
  const create = (id: string, label: string, path: Path, search: Record<string, string> | undefined, word = "new") =>
    search
      ? [
          {
            id: `create ${id}`,
            label,
            icon: <IconPlus {...size} />,
            words: palette.create,
            run: () => go(path, { ...search, [word]: "1" }),
          },
        ]
      : [];
  const names = new Map(projects.map(({ project_key, name }) => [project_key, name]));
  const [visited] = useState(recent);
  const groups: { label: string; commands: Command[]; atFirst: number }[] = [
    {
      label: palette.recent,
      atFirst: 5,
      commands: visited
        .filter(({ project: key }) => key === "" || names.has(key))
        .map(({ path, project: key, open, label }) => {
          const page = pageOf(path);
          const Icon = page?.icon ?? IconSearch;
          return {
            id: `recent ${path} ${open}`,
            label,
            detail: [page && frame.pages[page.name], names.get(key)].filter(Boolean).join(" · "),
            icon: <Icon {...size} />,
            run: () => go(path, key ? { project: key, open } : { open }),
          };
        }),
    },
    {
      label: palette.create,
      atFirst: 4,
      commands: [
        ...create("version", palette.newVersion, "/admin/versions", ofProject),
        ...create("announcement", palette.newAnnouncement, "/admin/announcements", ofProject),
        ...create("file", palette.upload, "/admin/files", ofProject),
        ...create("project", palette.newProject, "/admin/projects", {}),
        ...create("token", palette.newToken, "/admin/tokens", {}),
        ...create("feedback", palette.newFeedback, "/admin/feedbacks", ofProject),
        ...create("log", palette.newLog, "/admin/logs", ofProject),
      ],
    },
    {
      label: palette.goTo,
      atFirst: pages.length,
      commands: [
        ...pages.map(({ name, path, icon: Icon, ofProject: own }) => ({
          id: path,
          label: frame.pages[name],
          icon: <Icon {...size} />,
          run: () => go(path, own ? ofProject : {}),
        })),
        ...subPages.map(({ path, name }) => ({
          id: `part ${path}`,
          label: texts.common.labelled(frame.pages.settings, frame.settings[name]),
          icon: <IconSearch {...size} />,
          run: () => go(path),
        })),
      ],
    },
    {
      label: palette.switchTo,
      atFirst: 5,
      commands: projects
        .filter(({ project_key }) => project_key !== project)
        .map(({ project_key, name, aliases }) => ({
          id: `project ${project_key}`,
          label: name,
          detail: project_key,
          words: aliases.join(" "),
          icon: <IconApps {...size} />,
          run: () => showProject(project_key),
        })),
    },
    {
      label: palette.change,
      atFirst: 0,
      commands: [
        ...themes.map(([name, Icon]) => ({
          id: `theme ${name}`,
          label: texts.common.labelled(frame.theme.label, frame.theme[name]),
          icon: <Icon {...size} />,
          run: () => setColorScheme(name),
        })),
        ...(Object.keys(languages) as Language[])
          .filter((tag) => tag !== language)
          .map((tag) => ({
            id: `language ${tag}`,
            label: texts.common.labelled(frame.language, languages[tag]),
            icon: <IconLanguage {...size} />,
            run: () => choose(tag),
          })),
        { id: "keys", label: frame.keys.title, icon: <IconKeyboard {...size} />, run: onKeys },
        { id: "log out", label: frame.logOut, icon: <IconLogout {...size} />, run: logOut },
      ],
    },
  ];
  // Recent records and actions come first. Some commands are hidden until the user has typed
  // something.
  const shown = groups
    .map(({ label, commands, atFirst }) => ({
      label,
      commands: wanted ? commands.filter((command) => fits(command, wanted)) : commands.slice(0, atFirst),
    }))
    .filter(({ commands }) => commands.length > 0);
  const hits = (searching ? (found.data?.data ?? []) : []).flatMap((hit): Command[] => {
    const kind = kindOf(hit);
    if (!kind) {
      return [];
    }
    const { path, icon: Icon } = kinds[kind];
    return [
      {
        id: `hit ${kind} ${hit.id}`,
        label: hit.title.includes(hit.excerpt) ? hit.title : `${hit.title} · ${hit.excerpt}`,
        detail: [palette.kinds[kind], names.get(hit.project_key) ?? hit.project_key, format.ago(hit.created_at)].join(" · "),
        icon: <Icon {...size} />,
        run() {
          if (kind === "project") {
            go(path, { open: hit.id });
          } else {
            remember("project", hit.project_key);
            go(path, { project: hit.project_key, open: hit.id });
          }
        },
      },
    ];
  });
  // What the server finds arrives later than the rest, so it comes last and moves nothing.
  const all = [...shown, ...(hits.length ? [{ label: palette.found, commands: hits }] : [])];
  const pending = searching && (paused !== wanted || found.isFetching);
  const commands = all.flatMap((group) => group.commands);
  const at = Math.min(active, commands.length - 1);
  const run = (command: Command | undefined) => {
    if (command) {
      onClose();
      command.run();
    }
  };
  const press = (event: KeyboardEvent) => {
    const last = commands.length - 1;
    const next = {
      ArrowDown: at < last ? at + 1 : 0,
      ArrowUp: at > 0 ? at - 1 : last,
      PageDown: Math.min(at + 8, last),
      PageUp: Math.max(at - 8, 0),
    }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      setActive(next);
    } else if (event.key === "Enter" && !event.nativeEvent.isComposing) {
      event.preventDefault();
      run(commands[at]);
    }
  };
  const idOf = (index: number) => `${list}-${index}`;
  useEffect(() => {
    document.getElementById(`${list}-${at}`)?.scrollIntoView({ block: "nearest" });
  }, [list, at]);
  let index = -1;

  return (
    <Modal.Root opened onClose={onClose} size={640} yOffset="12vh" transitionProps={{ duration: 0 }}>
      <Modal.Overlay />
      <Modal.Content aria-label={palette.label}>
        <input
          className={classes["query"]}
          role="combobox"
          aria-expanded
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={at >= 0 ? idOf(at) : undefined}
          aria-label={palette.placeholder}
          placeholder={palette.placeholder}
          data-autofocus
          autoComplete="off"
          spellCheck={false}
          maxLength={longest}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={press}
        />
        <div className={classes["results"]}>
          <div id={list} role="listbox" aria-label={palette.label} className={classes["options"]}>
            {all.map(({ label, commands: members }) => (
              // biome-ignore lint/a11y/useSemanticElements: a group of options is not a fieldset
              <div key={label} role="group" aria-label={label}>
                <div className={classes["grouplabel"]} aria-hidden>
                  {label}
                </div>
                {members.map((command) => {
                  index++;
                  const here = index;
                  return (
                    // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys of the list
                    <div
                      key={command.id}
                      id={idOf(here)}
                      role="option"
                      tabIndex={-1}
                      aria-selected={here === at}
                      className={classes["option"]}
                      onMouseMove={() => setActive(here)}
                      onClick={() => run(command)}
                    >
                      {command.icon}
                      <Text size="sm" truncate className={classes["name"]}>
                        {command.label}
                      </Text>
                      {command.detail && (
                        <Text size="xs" c="dimmed" truncate className={classes["detail"]}>
                          {command.detail}
                        </Text>
                      )}
                    </div>
                  );
                })}
              </div>
            ))}
          </div>
          {commands.length === 0 && !pending && (
            <Text size="sm" c="dimmed" p="md" className={classes["nothing"]}>
              {palette.nothing}
            </Text>
          )}
        </div>
        {found.error && searching && <Failure error={found.error} retry={() => void found.refetch()} />}
        <Group className={classes["hint"]} gap="md" aria-hidden>
          <span>
            <kbd>↑</kbd> <kbd>↓</kbd> {palette.keys}
          </span>
          <span>
            <kbd>↵</kbd> {palette.enter}
          </span>
          <Group gap={8} ms="auto" h={20}>
            {pending && <Loader size={14} />}
          </Group>
        </Group>
        <div role="status" className={classes["spoken"]}>
          {pending ? palette.searching : searching && found.data ? texts.common.labelled(palette.found, String(hits.length)) : ""}
        </div>
      </Modal.Content>
    </Modal.Root>
  );
}
