import { Checkbox, Input, Table } from "@mantine/core";
import { useId } from "react";
import { useTexts } from "../core/texts";
import type { FieldProps } from "./field";

/**
 * A field for the scopes of an API key. It has a row for each kind of record, with separate columns
 * for reading and writing.
 */
export function ScopesField({
  value,
  onChange,
  available,
  label,
  error,
  description,
}: FieldProps<string[]> & { available: readonly string[] }) {
  const { fields } = useTexts();
  const id = useId();
  const kinds = [...new Set(available.map((scope) => scope.split(":")[0]!))];
  const change = (scope: string, on: boolean) => onChange(available.filter((other) => (other === scope ? on : value.includes(other))));
  const name = (kind: string) => fields.scopes.kinds[kind as keyof typeof fields.scopes.kinds] ?? kind;
  return (
    <Input.Wrapper labelElement="div" label={label} labelProps={{ id }} error={error} description={description}>
      <Table verticalSpacing={4} aria-labelledby={id} mt={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{fields.scopes.kind}</Table.Th>
            <Table.Th w={96}>{fields.scopes.read}</Table.Th>
            <Table.Th w={96}>{fields.scopes.write}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {kinds.map((kind) => (
            <Table.Tr key={kind}>
              <Table.Th scope="row" fw={400}>
                {name(kind)}
              </Table.Th>
              {(["read", "write"] as const).map((verb) => {
                const scope = `${kind}:${verb}`;
                return (
                  <Table.Td key={verb}>
                    {available.includes(scope) && (
                      <Checkbox
                        aria-label={fields.scopes.one(name(kind), fields.scopes[verb])}
                        title={scope}
                        checked={value.includes(scope)}
                        onChange={(event) => change(scope, event.currentTarget.checked)}
                      />
                    )}
                  </Table.Td>
                );
              })}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Input.Wrapper>
  );
}
