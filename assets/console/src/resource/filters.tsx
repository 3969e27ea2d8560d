// The search box, and the filters beside it. Their values are in the address. Any change of them
// returns to the first page.

import { ActionIcon, Button, CloseButton, Group, Indicator, Switch, TextInput } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconFilter, IconSearch } from "@tabler/icons-react";
import { memo, type RefObject, useCallback, useState } from "react";
import { useAddress } from "../core/address";
import { Choice } from "../core/choice";
import { type Draft, useDraft } from "../core/draft";
import { useTexts } from "../core/texts";
import type { List } from "./list";
import { Moment } from "./moment";
import type { Filter, Resource } from "./resource";
import { parametersOf } from "./resource";
import { phone } from "./rows";

/** Milliseconds after the last key until the search begins. */
const pause = 250;

export function Filters<R extends object, D extends object>({
  resource,
  searchRef,
  askAhead,
}: {
  resource: Resource<R, D>;
  searchRef: RefObject<HTMLInputElement | null>;
  askAhead: List<R>["askAhead"];
}) {
  const { common } = useTexts();
  const [address, change] = useAddress();
  const { filters = [], searchable = true } = resource;
  const parameters = ["q", ...parametersOf(filters)];
  const narrow = useMediaQuery(phone, false, { getInitialValueInEffect: false });
  const [unfolded, setUnfolded] = useState(false);
  const set = useCallback(
    (parts: Record<string, string | undefined>, how?: { replace?: boolean }) => {
      // Send the request before the page is rendered, so that both happen at the same time.
      askAhead(parts);
      change({ ...parts, page: undefined, rows: undefined }, how);
    },
    [change, askAhead],
  );
  const active = parametersOf(filters).filter((name) => address[name]).length;
  const folds = narrow && filters.length > 0;
  return (
    <Group gap="xs" align="flex-start" role="search">
      {searchable && (
        <SearchBox
          text={address["q"] ?? ""}
          onSearch={(q) => set({ q }, { replace: Boolean(address["q"]) })}
          inputRef={searchRef}
          fills={narrow}
        />
      )}
      {folds && (
        <Indicator label={active} disabled={active === 0} size={18}>
          <ActionIcon
            variant="default"
            size={44}
            aria-label={common.filters}
            aria-expanded={unfolded}
            onClick={() => setUnfolded(!unfolded)}
          >
            <IconFilter size={18} aria-hidden />
          </ActionIcon>
        </Indicator>
      )}
      {(!folds || unfolded) && filters.map((filter) => <FilterInput key={filter.id} filter={filter} address={address} onChange={set} />)}
      {parameters.some((name) => address[name]) && (
        <Button variant="subtle" onClick={() => set(Object.fromEntries(parameters.map((name) => [name, undefined])))}>
          {common.reset}
        </Button>
      )}
    </Group>
  );
}

function SearchBox({
  text,
  onSearch,
  inputRef,
  fills,
}: {
  text: string;
  onSearch: (text: string) => void;
  inputRef: RefObject<HTMLInputElement | null>;
  fills: boolean;
}) {
  const { common } = useTexts();
  const draft = useDraft(text, onSearch, { pause, read: (typed) => typed.trim() });
  return (
    <TextInput
      ref={inputRef}
      type="search"
      {...(fills ? { flex: 1, size: "md" } : { w: 200 })}
      maxLength={128}
      placeholder={common.search}
      aria-label={common.search}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={draft.value && <ClearButton label={common.reset} draft={draft} />}
      value={draft.value}
      onChange={({ currentTarget: { value } }) => draft.onChange(value)}
      onBlur={draft.onBlur}
    />
  );
}

interface FilterProps {
  filter: Filter;
  address: Record<string, string>;
  onChange: (parts: Record<string, string | undefined>, how?: { replace?: boolean }) => void;
}

/** One filter. It is memoized, so that it is rendered again when it changes, but not on each search. */
const FilterInput = memo(
  Input,
  (before, { filter, address, onChange }) =>
    before.filter === filter &&
    before.onChange === onChange &&
    parametersOf([filter]).every((name) => before.address[name] === address[name]),
);

function Input({ filter, address, onChange }: FilterProps) {
  const { common } = useTexts();
  const { id, label } = filter;
  if (filter.kind === "choice") {
    return (
      <Choice
        flex="1 1 110px"
        maw={160}
        aria-label={label}
        placeholder={label}
        data={filter.choices}
        {...(filter.onOpen && { onDropdownOpen: filter.onOpen })}
        value={address[id] ?? null}
        onChange={(value) => onChange({ [id]: value ?? undefined })}
        clearable
        clearButtonProps={{ "aria-label": common.labelled(common.reset, label) }}
      />
    );
  }
  if (filter.kind === "switch") {
    return (
      <Switch
        label={label}
        checked={address[id] === "1"}
        onChange={({ currentTarget }) => onChange({ [id]: currentTarget.checked ? "1" : undefined })}
        my={8}
      />
    );
  }
  if (filter.kind === "text") {
    return (
      <TextFilter
        label={label}
        maxLength={filter.maxLength}
        text={address[id] ?? ""}
        onChange={(text) => onChange({ [id]: text || undefined }, { replace: Boolean(address[id]) })}
      />
    );
  }
  const bound = (name: string, text: string) => (
    <Moment
      label={`${label} ${text}`}
      clearLabel={common.labelled(common.reset, `${label} ${text}`)}
      value={address[name] ? Number(address[name]) : null}
      onChange={(value) => onChange({ [name]: value === null ? undefined : String(value) })}
    />
  );
  return (
    <>
      {bound(`${id}_from`, common.from)}
      {bound(`${id}_to`, common.to)}
    </>
  );
}

interface TextFilterProps {
  label: string;
  maxLength: number;
  text: string;
  onChange: (text: string) => void;
}

function TextFilter({ label, maxLength, text, onChange }: TextFilterProps) {
  const { common } = useTexts();
  const draft = useDraft(text, onChange, { pause, read: (typed) => typed.trim() });
  return (
    <TextInput
      flex="1 1 110px"
      maw={160}
      aria-label={label}
      placeholder={label}
      maxLength={maxLength}
      autoComplete="off"
      spellCheck={false}
      value={draft.value}
      onChange={({ currentTarget: { value } }) => draft.onChange(value)}
      onBlur={draft.onBlur}
      rightSection={draft.value && <ClearButton label={common.labelled(common.reset, label)} draft={draft} />}
    />
  );
}

/** The button that empties a box and commits that immediately. */
function ClearButton({ label, draft }: { label: string; draft: Draft }) {
  return (
    <CloseButton
      size="sm"
      aria-label={label}
      // Keep the focus in the box. If the box lost the focus, it would commit the text that is
      // about to be cleared.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => {
        draft.onChange("");
        draft.onBlur();
      }}
    />
  );
}
