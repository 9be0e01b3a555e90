/** Taking numbers out of stock, putting them back, and moving them to another group. */

import { Alert, Select, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { fieldErrors } from '../api/problems.ts';
import { useRead } from '../api/queries.ts';
import { type BodyOf, pathWith } from '../api/routes.ts';
import { type Field, Fields, type FieldValue, type FieldValues } from '../parts/fields.tsx';
import { FormDialog, ReasonInput } from '../parts/form-dialog.tsx';
import type { Stock } from './documents.ts';

const actions = [
  { value: 'withdraw', label: 'Withdraw: out of stock for good' },
  { value: 'quarantine', label: 'Quarantine: out of stock for a while' },
  { value: 'release', label: 'Release: back into stock' },
  { value: 'move', label: 'Move to another group' },
] as const;

const fields: readonly Field[] = [
  { name: 'action', label: 'What is done', kind: 'select', required: true, options: actions },
  {
    name: 'numbers',
    label: 'Numbers',
    about: 'With their country code; Enter after each. Those that customers own are held when they come back',
    kind: 'words',
  },
  {
    name: 'number_prefix',
    label: 'Or numbers that begin with',
    about: 'At least three digits, country code included. Neither: all numbers of the group',
  },
  {
    name: 'until',
    label: 'Until',
    about: 'When the quarantine ends; empty: for ever',
    kind: 'datetime',
    when: ({ action }) => action === 'quarantine',
  },
];

export const groupName = ({ attributes }: Stock): string =>
  `${attributes.country}, ${attributes.area_name} (${attributes.prefix || 'no prefix'}, ${attributes.type})`;

/** At one group, or at numbers of any group. */
export function ActOnStock({ group }: { group?: Stock }) {
  const dialog = useDisclosure(false);
  const [opened] = dialog;
  const [values, setValues] = useState<FieldValues>({ action: 'quarantine' });
  const [target, setTarget] = useState<string | null>(null);
  const [reason, setReason] = useState('');
  const write = useWrite<'POST /operator/v1/stock_actions'>();
  const errors = fieldErrors(write.error);
  const done = write.data?.data.attributes;
  const set = (name: string, value: FieldValue) => {
    write.reset();
    setValues((before) => ({ ...before, [name]: value }));
  };
  return (
    <FormDialog
      dialog={dialog}
      label={group === undefined ? 'Hold or move numbers' : 'Hold …'}
      look={group === undefined ? {} : { size: 'compact-sm', variant: 'subtle' }}
      title={group === undefined ? 'Numbers of the stock' : `Numbers of ${groupName(group)}`}
      size="lg"
      error={errors['']}
      submit={{ label: 'Do it', isBusy: write.isPending, isDisabled: reason.trim() === '' }}
      onSubmit={() =>
        write.mutate({
          method: 'POST',
          path: pathWith('/operator/v1/stock_actions'),
          body: bodyOf(values, group, target, reason),
        })
      }
    >
      <Text size="sm">
        Numbers that customers have reserved are left alone; those that they own stay theirs. At most 100,000 at once.
      </Text>
      <Fields fields={fields} values={values} errors={errors} set={set} />
      {opened && values.action === 'move' && <TargetGroup from={group} value={target} onChange={setTarget} />}
      <ReasonInput value={reason} onChange={setReason} error={errors.reason} />
      {done && (
        <Alert color={done.count > 0 ? 'teal' : 'yellow'} variant="light" role="status">
          {`${done.count.toLocaleString('en-GB')} numbers were reached. ${done.owned} belong to customers and are held when they come back; ${done.skipped} were left as they are.`}
        </Alert>
      )}
    </FormDialog>
  );
}

type Action = BodyOf<'POST /operator/v1/stock_actions'>;

function bodyOf(values: FieldValues, group: Stock | undefined, target: string | null, reason: string): Action {
  const { action, numbers, number_prefix: prefix, until } = values;
  const link = (id: string) => ({ data: { type: 'stock', id } }) as const;
  const isPrefixed = typeof prefix === 'string' && prefix.trim() !== '';
  return {
    data: {
      type: 'stock_actions',
      attributes: {
        action: actions.find(({ value }) => value === action)?.value ?? 'quarantine',
        reason,
        ...(Array.isArray(numbers) && numbers.length > 0 ? { numbers } : {}),
        ...(isPrefixed ? { number_prefix: prefix.trim().replace(/^\+/, '') } : {}),
        ...(action === 'quarantine' && typeof until === 'string' && until !== ''
          ? { until: new Date(until).toISOString() }
          : {}),
      },
      relationships: {
        ...(group === undefined ? {} : { did_group: link(group.id) }),
        ...(action === 'move' && target !== null ? { target_group: link(target) } : {}),
      },
    },
  };
}

interface TargetGroupProps {
  from: Stock | undefined;
  value: string | null;
  onChange: (id: string | null) => void;
}

/** Groups of one country, since there may be thousands in all. */
function TargetGroup({ from, value, onChange }: TargetGroupProps) {
  const [country, setCountry] = useState(from?.attributes.country_iso ?? '');
  const read = useRead(
    /^[A-Z]{2}$/.test(country)
      ? pathWith('/operator/v1/stock', { 'filter[country_iso]': country, sort: 'prefix', 'page[size]': 1_000 })
      : null,
  );
  const groups = (read.data?.data ?? []).filter(({ id }) => id !== from?.id);
  return (
    <>
      <TextInput
        label="Country of the other group"
        description="Two letters, such as GB"
        maxLength={2}
        value={country}
        onChange={({ currentTarget }) => {
          setCountry(currentTarget.value.toUpperCase());
          onChange(null);
        }}
      />
      <Select
        label="Move to"
        searchable
        required
        data={groups.map((group) => ({ value: group.id, label: groupName(group) }))}
        value={value}
        onChange={onChange}
      />
    </>
  );
}
