/** A form that creates or changes one record of a JSON:API type; errors of the interface appear at its fields. */

import { Button, Group, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useWrite, type Write } from '../api/acts.ts';
import { fieldErrors } from '../api/problems.ts';
import type { FormOperation, FormRoute, SavedOf } from '../api/routes.ts';
import { attributesOf, type Field, Fields, type FieldValue, type FieldValues, withoutEmpty } from './fields.tsx';
import { FormError } from './page.tsx';

interface RecordFormProps<R extends FormRoute> {
  type: string;
  /** Without the id. */
  route: R;
  /** Null creates one. */
  id: string | null;
  fields: readonly Field[];
  initial: FieldValues;
  /** The fields that are relationships: their value is the id of a record of this type. */
  links?: Readonly<Record<string, string>>;
  /** Changes what is sent. */
  write?: (attributes: Record<string, FieldValue>) => Record<string, unknown>;
  relationships?: Readonly<Record<string, { data: object | null }>>;
  submit: string;
  onSaved: (record: SavedOf<R>) => void;
  children?: ReactNode;
}

export function RecordForm<R extends FormRoute>(props: RecordFormProps<R>) {
  const { type, route, id, fields, initial, links = {}, write, relationships = {}, submit, onSaved, children } = props;
  const [values, setValues] = useState(initial);
  const save = useWrite<FormOperation<R>>((answer) => onSaved(savedOf<R>(answer)));
  const errors = fieldErrors(save.error);
  const known = new Set(fields.map(({ name }) => name));
  const rest = Object.entries(errors).flatMap(([name, text]) =>
    known.has(name) ? [] : [name === '' ? text : `${name}: ${text}`],
  );
  const send = () => {
    const given = attributesOf(fields, values);
    const sent = Object.fromEntries(Object.entries(given).filter(([name]) => !(name in links)));
    const own = id === null ? withoutEmpty(sent) : sent;
    // A link that is left as it is may be one that the server would no longer take, such as none to a number that is
    // gone.
    const isKept = (name: string, value: FieldValue) =>
      id !== null && JSON.stringify(value) === JSON.stringify(initial[name] ?? null);
    const linked = Object.fromEntries(
      Object.entries(given)
        .filter(([name, value]) => name in links && !isKept(name, value))
        .map(([name, value]) => [name, { data: linkOf(links[name] ?? '', value) }]),
    );
    const request = {
      method: id === null ? 'POST' : 'PATCH',
      path: id === null ? route : `${route}/${id}`,
      body: {
        data: {
          type,
          ...(id === null ? {} : { id }),
          attributes: write ? write(own) : own,
          ...(Object.keys({ ...linked, ...relationships }).length === 0
            ? {}
            : { relationships: { ...linked, ...relationships } }),
        },
      },
    };
    // Which fields a form has is data, so the whole of it cannot be checked here.
    save.mutate(request as Write<FormOperation<R>>);
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Stack maw={620}>
        <Fields
          fields={fields}
          values={values}
          errors={errors}
          set={(name, value) => setValues((before) => ({ ...before, [name]: value }))}
        />
        {children}
        <FormError text={rest.join(' ')} />
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const savedOf = <R extends FormRoute>({ data }: { data: unknown }) => data as SavedOf<R>;

function linkOf(type: string, value: FieldValue): object | null {
  if (Array.isArray(value)) return value.map((id) => ({ type, id }));
  return typeof value === 'string' && value !== '' ? { type, id: value } : null;
}
