/**
 * Decisions about prefixes of the verification service: blocked, watched or safe; why, until when, and lifting them.
 */

import { Badge, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { type Many, related } from '../api/documents.ts';
import { fieldErrors } from '../api/problems.ts';
import { useSession } from '../api/queries.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { customerSource } from '../parts/choices.ts';
import { column, timeColumn } from '../parts/columns.tsx';
import type { Field, FieldValue } from '../parts/fields.tsx';
import { FormDialog, ReasonInput } from '../parts/form-dialog.tsx';
import { showTime, showWords } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { Empty, Page } from '../parts/page.tsx';
import { RecordDialog } from '../parts/record-dialog.tsx';
import { localTime } from '../parts/replay-window.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { accountFilter, yesOrNo } from './filters.ts';
import { mayDo } from './permissions.ts';

type Decision = RecordOf<'/operator/v1/prefix_blocks'>;

const modes = [
  { value: 'block', label: 'Block: starts are refused' },
  { value: 'monitor', label: 'Watch: nothing is refused' },
  { value: 'safe', label: 'Safe: never blocked by the rule' },
];
const words = { block: 'blocked', monitor: 'watched', safe: 'safe' } as const;
const colors = { block: 'red', monitor: 'yellow', safe: 'teal' } as const;

const prefixField: Field = {
  name: 'prefix',
  label: 'Numbers that begin with',
  about: 'Digits with the country code, without +',
  required: true,
};
const modeField: Field = { name: 'mode', label: 'What is decided', kind: 'select', options: modes, required: true };
const customerField: Field = {
  name: 'account',
  label: 'For',
  about: 'Start typing a name; leave empty for all customers',
  kind: 'select',
};
const untilField: Field = { name: 'until', label: 'Until', about: 'Empty: never', kind: 'datetime' };
const reasonField: Field = {
  name: 'reason',
  label: 'Reason',
  about: 'Shown here, and kept in the audit log',
  required: true,
};

/** The end of a decision in the form of the interface. */
const sent = ({ until, ...others }: Readonly<Record<string, FieldValue>>): Record<string, unknown> => ({
  ...others,
  reason: others.reason ?? '',
  until: typeof until === 'string' ? new Date(until).toISOString() : null,
});

const measuredText = (measured: Record<string, unknown> | null): string =>
  Object.entries(measured ?? {})
    .map(
      ([name, value]) =>
        `${showWords(name).toLowerCase()} ${typeof value === 'object' ? JSON.stringify(value) : value}`,
    )
    .join(', ');

const customer = (decision: Decision, document: Many<Decision>) => related(document, decision, 'account');

const columns: readonly ListColumn<Decision>[] = [
  column('prefix', 'Prefix', ({ attributes }) => attributes.prefix, {
    sort: 'prefix',
    cell: ({ attributes }) => `+${attributes.prefix}`,
  }),
  column('mode', 'Decided', ({ attributes }) => (attributes.lifted ? 'lifted' : words[attributes.mode]), {
    cell: ({ attributes }) => (
      <Stack gap={2} align="flex-start">
        <Badge variant="light" color={attributes.lifted ? 'gray' : colors[attributes.mode]}>
          {attributes.lifted ? `was ${words[attributes.mode]}` : words[attributes.mode]}
        </Badge>
        {!attributes.lifted && attributes.until !== null && (
          <Text size="xs" c="dimmed">
            until {showTime(attributes.until)}
          </Text>
        )}
      </Stack>
    ),
  }),
  column('account', 'For', (decision, document) => customer(decision, document)?.attributes.name ?? 'all customers', {
    secondary: true,
    cell: (decision, document) => {
      const account = customer(decision, document);
      return account === undefined ? (
        'all customers'
      ) : (
        <RouteLink to="/operator/accounts/$id" params={{ id: account.id }}>
          {account.attributes.name}
        </RouteLink>
      );
    },
  }),
  column('reason', 'Why', ({ attributes }) => attributes.reason, {
    secondary: true,
    cell: ({ attributes }) => (
      <Text size="sm" maw={360} style={{ overflowWrap: 'anywhere' }}>
        {attributes.reason}
        {attributes.lift_reason !== null && (
          <Text span size="xs" c="dimmed" display="block">
            {`Lifted${attributes.lifted_at === null ? '' : ` ${showTime(attributes.lifted_at)}`}${attributes.lifted_by === null ? '' : ` by ${attributes.lifted_by}`}: ${attributes.lift_reason}`}
          </Text>
        )}
      </Text>
    ),
  }),
  column('actor', 'By', ({ attributes }) => (attributes.is_automatic ? 'the rule' : attributes.actor), {
    secondary: true,
  }),
  column('measured', 'Measured', ({ attributes }) => measuredText(attributes.measured), { optional: true }),
  timeColumn('created', 'Since', ({ attributes }) => attributes.created_at, { sort: 'created_at', optional: true }),
  column('actions', 'Actions', () => '', { cell: (decision) => <Actions decision={decision} /> }),
];

const decided = [
  { value: 'block', label: 'Blocked' },
  { value: 'monitor', label: 'Watched' },
  { value: 'safe', label: 'Safe' },
];

export function Prefixes() {
  const { data: session } = useSession();
  return (
    <Page
      title="Prefix blocks"
      about="What is decided about codes to numbers with a prefix, by the rule for collapsing conversion or by an operator. The guards say when the rule acts."
      actions={
        <>
          <RouteLink to="/operator/conversion" search={{ by: 'prefix' }}>
            Conversion
          </RouteLink>
          <RouteLink to="/operator/guards">Guards</RouteLink>
          {mayDo(session, 'decide on prefixes') && <Decide />}
        </>
      }
    >
      <ResourceList
        name="prefix blocks"
        path={pathWith('/operator/v1/prefix_blocks')}
        fixed={{ include: 'account' }}
        columns={columns}
        defaultSort="-created_at"
        search={{
          label: 'A whole prefix, such as 4915',
          parameters: (text) => ({ 'filter[prefix]': text.replace(/\D/g, '') || '0' }),
        }}
        filters={[
          { name: 'is_in_force', label: 'In force', options: yesOrNo },
          { name: 'mode', label: 'Decided', options: decided },
          { name: 'is_automatic', label: 'By the rule', options: yesOrNo },
          accountFilter,
        ]}
        empty={
          <Empty title="Nothing is decided about any prefix">
            The rule adds prefixes whose codes stop coming back; you can block, watch or protect one yourself.
          </Empty>
        }
      />
    </Page>
  );
}

/** On the list of one customer's decisions it is for that customer, unless another one is chosen. */
function Decide() {
  const [search] = useListSearch();
  const accountId = search['account.id'] === undefined ? null : String(search['account.id']);
  return (
    <RecordDialog
      key={accountId}
      label="Decide on a prefix"
      title="Decide on a prefix"
      about="Takes effect at once."
      type="prefix_blocks"
      route="/operator/v1/prefix_blocks"
      id={null}
      fields={[prefixField, { ...customerField, source: customerSource }, modeField, untilField, reasonField]}
      initial={{ mode: 'block', account: accountId }}
      links={{ account: 'accounts' }}
      write={(given) => ({ ...sent(given), prefix: String(given.prefix ?? '').replace(/^\+/, '') })}
      submit="Decide"
    />
  );
}

function Actions({ decision: { id, attributes } }: { decision: Decision }) {
  const { data: session } = useSession();
  if (attributes.lifted || !mayDo(session, 'decide on prefixes')) return '–';
  const { prefix, mode, until } = attributes;
  return (
    <Group gap={4} wrap="nowrap">
      <RecordDialog
        label="Change"
        look={{ size: 'compact-sm', variant: 'subtle' }}
        aria={`Change what is decided about +${prefix}`}
        title={`Numbers that begin with +${prefix}`}
        about={attributes.reason}
        type="prefix_blocks"
        route="/operator/v1/prefix_blocks"
        id={id}
        fields={[modeField, untilField, { ...reasonField, about: 'Why it is changed; kept in the audit log' }]}
        initial={{ mode, until: until === null ? null : localTime(Date.parse(until)) }}
        write={sent}
        submit="Change it"
      />
      <Lift id={id} prefix={prefix} />
    </Group>
  );
}

function Lift({ id, prefix }: { id: string; prefix: string }) {
  const dialog = useDisclosure(false);
  const [reason, setReason] = useState('');
  const write = useWrite<'PATCH /operator/v1/prefix_blocks/{id}'>(dialog[1].close);
  const errors = fieldErrors(write.error);
  return (
    <FormDialog
      dialog={dialog}
      label="Lift"
      look={{ size: 'compact-sm', variant: 'subtle' }}
      title={`Lift what is decided about +${prefix}`}
      error={errors['']}
      submit={{ label: 'Lift it', isBusy: write.isPending, isDisabled: reason.trim() === '' }}
      onSubmit={() =>
        write.mutate({
          method: 'PATCH',
          path: pathWith('/operator/v1/prefix_blocks/{id}', { id }),
          body: { data: { type: 'prefix_blocks', id, attributes: { lifted: true, reason } } },
        })
      }
    >
      <Text size="sm">
        Codes are sent to these numbers again, at once. The rule does not block the same codes a second time; call the
        prefix safe if it should never do so.
      </Text>
      <ReasonInput value={reason} onChange={setReason} error={errors.reason} />
    </FormDialog>
  );
}
