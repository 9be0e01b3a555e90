/**
 * Classes of destinations that are used for fraud: what may be spent on each in a day, and which prefixes belong to it.
 */

import { Badge, Group, SegmentedControl, Stack } from '@mantine/core';
import { type Many, related } from '../api/documents.ts';
import { useSession } from '../api/queries.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { customerSource } from '../parts/choices.ts';
import { column } from '../parts/columns.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import type { Field, FieldValue } from '../parts/fields.tsx';
import { showMoney, showWords } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { Empty, Page } from '../parts/page.tsx';
import { RecordDialog } from '../parts/record-dialog.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { reasonField } from './carrier-fields.ts';
import { accountFilter, choices } from './filters.ts';
import { mayDo } from './permissions.ts';

type Risk = 'standard' | 'elevated' | 'high';
type Limit = RecordOf<'/operator/v1/risk_limits'>;
type Prefix = RecordOf<'/operator/v1/destination_risks'>;

const risks = choices(['standard', 'elevated', 'high'] satisfies Risk[]);
const colors: Readonly<Record<Risk, string>> = { standard: 'gray', elevated: 'yellow', high: 'red' };

const riskField: Field = { name: 'risk', label: 'Class', kind: 'select', required: true, options: risks };
const limitField: Field = {
  name: 'daily_limit',
  label: 'A day',
  about: 'VAT included, by UTC; empty for no limit',
  kind: 'decimal',
};
const noteField: Field = { name: 'note', label: 'Which destinations these are' };

/** What is empty is no limit, or no note. */
const sent = ({ reason, ...given }: Readonly<Record<string, FieldValue>>): Record<string, unknown> => ({
  ...given,
  ...(reason === null || reason === undefined ? {} : { reason }),
});

const limitColumns: readonly ListColumn<Limit>[] = [
  column('risk', 'Class', ({ attributes }) => showWords(attributes.risk), {
    sort: 'risk',
    cell: ({ attributes }) => <Class risk={attributes.risk} />,
  }),
  column('limit', 'A day', ({ attributes }) => attributes.daily_limit ?? 'no limit', {
    isNumber: true,
    cell: ({ attributes }) => (attributes.daily_limit === null ? 'no limit' : showMoney(attributes.daily_limit)),
  }),
  column('account', 'For', (limit, document) => customerOf(limit, document)?.attributes.name ?? 'everyone else', {
    cell: (limit, document) => {
      const account = customerOf(limit, document);
      return account === undefined ? (
        'everyone else'
      ) : (
        <RouteLink to="/operator/accounts/$id" params={{ id: account.id }}>
          {account.attributes.name}
        </RouteLink>
      );
    },
  }),
  column('actions', 'Actions', () => '', { cell: (limit) => <LimitActions limit={limit} /> }),
];

/** A limit without a customer is that of all who have none of their own. */
function customerOf(limit: Limit, document: Many<Limit>) {
  return related(document, limit, 'account');
}

const prefixColumns: readonly ListColumn<Prefix>[] = [
  column('prefix', 'Numbers', ({ attributes }) => `+${attributes.prefix}`, { sort: 'prefix' }),
  column('risk', 'Class', ({ attributes }) => showWords(attributes.risk), {
    sort: 'risk',
    cell: ({ attributes }) => <Class risk={attributes.risk} />,
  }),
  column('note', 'Destinations', ({ attributes }) => attributes.note ?? '–', { secondary: true }),
  column('actions', 'Actions', () => '', { cell: (prefix) => <PrefixActions prefix={prefix} /> }),
];

const Class = ({ risk }: { risk: Risk }) => (
  <Badge variant="light" color={colors[risk]}>
    {showWords(risk)}
  </Badge>
);

const NewLimit = () => (
  <RecordDialog
    label="Limit a customer"
    title="Limit of one customer"
    about="It takes the place of the limit that everyone else has."
    type="risk_limits"
    route="/operator/v1/risk_limits"
    id={null}
    fields={[
      { name: 'account', label: 'Customer', kind: 'select', required: true, source: customerSource },
      riskField,
      limitField,
      reasonField,
    ]}
    initial={{ risk: 'high' }}
    links={{ account: 'accounts' }}
    write={(given) => ({ daily_limit: null, ...sent(given) })}
    submit="Add limit"
  />
);

function LimitActions({ limit }: { limit: Limit }) {
  const { data: session } = useSession();
  if (!mayDo(session, 'move money')) return '–';
  const { risk, daily_limit } = limit.attributes;
  const isGeneral = !limit.relationships.account.data;
  return (
    <Group gap={4}>
      <RecordDialog
        label="Change"
        look={{ size: 'compact-sm', variant: 'subtle' }}
        aria={`Change the limit of ${risk}${isGeneral ? ' for everyone' : ''}`}
        title={`${showWords(risk)}: what may be spent in a day`}
        about="Calls that would pass it are refused, and those that are up are cut."
        type="risk_limits"
        route="/operator/v1/risk_limits"
        id={limit.id}
        fields={[limitField, reasonField]}
        initial={{ daily_limit }}
        write={(given) => ({ daily_limit: null, ...sent(given) })}
        submit="Save limit"
      />
      {!isGeneral && (
        <ConfirmButton
          label="Remove"
          about={`Remove the limit of ${risk}`}
          question="The customer has the limit of everyone else again."
          act={(send) => send('DELETE', pathWith('/operator/v1/risk_limits/{id}', { id: limit.id }))}
        />
      )}
    </Group>
  );
}

const NewPrefix = () => (
  <RecordDialog
    label="Add a prefix"
    title="Class of a prefix"
    about="The longest prefix of a number counts."
    type="destination_risks"
    route="/operator/v1/destination_risks"
    id={null}
    fields={[
      { name: 'prefix', label: 'Numbers that begin with', about: 'Digits without +', required: true },
      riskField,
      noteField,
      reasonField,
    ]}
    initial={{ risk: 'high' }}
    write={(given) => ({ ...sent(given), prefix: String(given.prefix ?? '').replace(/^\+/, '') })}
    submit="Add prefix"
  />
);

function PrefixActions({ prefix: { id, attributes } }: { prefix: Prefix }) {
  const { data: session } = useSession();
  if (!mayDo(session, 'move money')) return '–';
  const { prefix, risk, note } = attributes;
  return (
    <Group gap={4}>
      <RecordDialog
        label="Change"
        look={{ size: 'compact-sm', variant: 'subtle' }}
        aria={`Change the class of +${prefix}`}
        title={`+${prefix}`}
        type="destination_risks"
        route="/operator/v1/destination_risks"
        id={id}
        fields={[riskField, noteField, reasonField]}
        initial={{ risk, note }}
        write={(given) => ({ note: null, ...sent(given) })}
        submit="Save prefix"
      />
      <ConfirmButton
        label="Remove"
        about={`Remove the class of +${prefix}`}
        question="The next shorter prefix decides then; without one, these numbers are standard."
        act={(send) => send('DELETE', pathWith('/operator/v1/destination_risks/{id}', { id }))}
      />
    </Group>
  );
}

export function Risks() {
  const { data: session } = useSession();
  const [search, change] = useListSearch();
  const view = search.view === 'prefixes' ? 'prefixes' : 'limits';
  const clear = () => Object.fromEntries(Object.keys(search).map((name) => [name, undefined]));
  return (
    <Page
      title="Risk classes"
      about="What a customer may spend in a day on destinations that are used for fraud, by calls out and by forwarding: satellites, premium rate and others."
      actions={mayDo(session, 'move money') && (view === 'limits' ? <NewLimit /> : <NewPrefix />)}
    >
      <Stack gap="md">
        <SegmentedControl
          aria-label="What is shown"
          w={{ base: '100%', xs: 300 }}
          value={view}
          onChange={(next) => change({ ...clear(), view: next === 'limits' ? undefined : next })}
          data={[
            { value: 'limits', label: 'Limits' },
            { value: 'prefixes', label: 'Prefixes' },
          ]}
        />
        {view === 'limits' ? (
          <ResourceList
            name="limits"
            path={pathWith('/operator/v1/risk_limits')}
            fixed={{ include: 'account' }}
            columns={limitColumns}
            defaultSort="risk"
            filters={[{ name: 'risk', label: 'Class', options: risks }, accountFilter]}
            empty={<Empty title="No limits" />}
          />
        ) : (
          <ResourceList
            name="prefixes"
            path={pathWith('/operator/v1/destination_risks')}
            columns={prefixColumns}
            defaultSort="prefix"
            search={{
              label: 'A whole prefix, such as 881',
              parameters: (text) => ({ 'filter[prefix]': text.replace(/\D/g, '') || '0' }),
            }}
            filters={[{ name: 'risk', label: 'Class', options: risks }]}
            empty={<Empty title="Every number is standard">Add the prefixes that cost you most.</Empty>}
          />
        )}
      </Stack>
    </Page>
  );
}
