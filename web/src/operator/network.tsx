/** Who carries calls and codes: carriers and providers with their health and what they did in the last day. */
import { Stack, Text } from '@mantine/core';
import type { Resource } from '../api/documents.ts';
import { showTime } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { StateBadge } from '../parts/states.tsx';
import { column, timeColumn } from './columns.tsx';
import { yesOrNo } from './filters.ts';

type Carrier = Resource<{
  name: string;
  enabled: boolean;
  priority: number;
  host: string | null;
  port: number | null;
  transport: string;
  addresses: string[];
  calls_out: number;
  calls_out_answered: number;
  calls_out_failed: number;
  created_at: string;
}>;
type Provider = Resource<{
  name: string;
  kind: string;
  enabled: boolean;
  failures: number;
  set_aside_until: string | null;
  last_failure: string | null;
  last_failure_at: string | null;
  messages_sent: number;
  messages_delivered: number;
  messages_failed: number;
  created_at: string;
}>;

/** "12 of 40 (30 %)" */
const share = (part: number, all: number): string =>
  all === 0 ? '–' : `${part} of ${all} (${Math.round((part / all) * 100)} %)`;

const whereTo = ({ attributes: { host, port, transport } }: Carrier): string =>
  host === null ? 'inbound only' : `${host}${port === null ? '' : `:${port}`} ${transport}`;

const carrierColumns: readonly ListColumn<Carrier>[] = [
  column('name', 'Carrier', ({ attributes }) => attributes.name, {
    sort: 'name',
    cell: ({ id, attributes }) => (
      <RouteLink to="/operator/calls" search={{ direction: 'out', 'carrier.id': id }}>
        {attributes.name}
      </RouteLink>
    ),
  }),
  column('state', 'State', ({ attributes }) => (attributes.enabled ? 'in use' : 'off'), {
    cell: ({ attributes }) => (
      <StateBadge word={attributes.enabled ? 'in use' : 'off'} good={attributes.enabled || null} />
    ),
  }),
  column('to', 'Calls go to', whereTo, { secondary: true }),
  column('from', 'Calls come from', ({ attributes }) => attributes.addresses.join(', '), { secondary: true }),
  column('answered', 'Answered, 24 h', ({ attributes }) => share(attributes.calls_out_answered, attributes.calls_out)),
  column('failed', 'Failed, 24 h', ({ attributes }) => String(attributes.calls_out_failed), { secondary: true }),
  column('priority', 'Priority', ({ attributes }) => String(attributes.priority), { sort: 'priority', optional: true }),
  timeColumn('created', 'Since', ({ attributes }) => attributes.created_at, { optional: true }),
];

export function Carriers() {
  return (
    <Page
      title="Carriers"
      about="Networks that bring calls to your numbers, or take outbound calls. The lowest priority is tried first."
    >
      <ResourceList<Carrier>
        name="carriers"
        path="/operator/v1/carriers"
        columns={carrierColumns}
        defaultSort="name"
        search={{ label: 'Name, exactly', parameters: (text) => ({ 'filter[name]': text }) }}
        filters={[{ name: 'enabled', label: 'In use', options: yesOrNo }]}
        every={30_000}
        empty={
          <Empty title="No carriers yet">
            Calls come from a carrier and go to one. Add the first with “trunkline carrier create”.
          </Empty>
        }
      />
    </Page>
  );
}

function providerState({ attributes }: Provider): { word: string; good: boolean | null } {
  if (!attributes.enabled) return { word: 'off', good: null };
  return attributes.set_aside_until === null ? { word: 'healthy', good: true } : { word: 'set aside', good: false };
}

const providerColumns: readonly ListColumn<Provider>[] = [
  column('name', 'Provider', ({ attributes }) => attributes.name, { sort: 'name' }),
  column('kind', 'By', ({ attributes }) => attributes.kind.toUpperCase(), { secondary: true }),
  column('state', 'State', (provider) => providerState(provider).word, {
    cell: (provider) => (
      <Stack gap={2} align="flex-start">
        <StateBadge {...providerState(provider)} />
        {provider.attributes.set_aside_until !== null && (
          <Text size="xs" c="dimmed">
            until {showTime(provider.attributes.set_aside_until)}
          </Text>
        )}
      </Stack>
    ),
  }),
  column('delivered', 'Delivered, 24 h', ({ attributes }) =>
    share(attributes.messages_delivered, attributes.messages_sent),
  ),
  column('failed', 'Failed, 24 h', ({ attributes }) => String(attributes.messages_failed), { secondary: true }),
  column('last', 'Last failure', ({ attributes }) => attributes.last_failure ?? '', {
    secondary: true,
    cell: ({ attributes }) =>
      attributes.last_failure === null ? (
        '–'
      ) : (
        <Text size="sm" maw={320} style={{ overflowWrap: 'anywhere' }}>
          {attributes.last_failure}
          <Text span c="dimmed" size="xs" display="block">
            {showTime(attributes.last_failure_at)}
          </Text>
        </Text>
      ),
  }),
  column('row', 'Failures in a row', ({ attributes }) => String(attributes.failures), { optional: true }),
  timeColumn('created', 'Since', ({ attributes }) => attributes.created_at, { optional: true }),
];

export function Providers() {
  return (
    <Page
      title="Providers"
      about="Who delivers codes. One that fails several times in a row is set aside and used last, until it works again."
    >
      <ResourceList<Provider>
        name="providers"
        path="/operator/v1/providers"
        columns={providerColumns}
        defaultSort="name"
        search={{ label: 'Name, exactly', parameters: (text) => ({ 'filter[name]': text }) }}
        filters={[{ name: 'enabled', label: 'In use', options: yesOrNo }]}
        every={30_000}
        empty={
          <Empty title="No providers yet">
            Codes need somebody who delivers them. Add the first with “trunkline otp-providers set”. In the sandbox they
            end up in the inbox instead.
          </Empty>
        }
      />
    </Page>
  );
}
