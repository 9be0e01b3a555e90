/** One provider of codes: whether it works, what it did in a day, a test message, its routes, its settings. */

import { Code, Paper, SimpleGrid } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useSession } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { Details } from '../parts/details.tsx';
import { showTime } from '../parts/format.ts';
import { Page } from '../parts/page.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { StateBadge } from '../parts/states.tsx';
import { share } from './columns.tsx';
import { RoutesOf } from './peer-routes.tsx';
import { PeerSettings, RemovePeer } from './peer-settings.tsx';
import { PeerTests } from './peer-tests.tsx';
import { mayDo } from './permissions.ts';
import { type Provider, providerAttributes, providerFields, providerValues } from './provider-fields.ts';
import { ProviderReceipts } from './provider-receipts.tsx';
import { providerState } from './providers.tsx';

export function ProviderPage() {
  const { id } = useParams({ from: '/operator/providers/$id' });
  return (
    <RecordPage
      noun="Provider"
      id={id}
      path={pathWith('/operator/v1/providers/{id}', { id })}
      list={{ to: '/operator/providers', label: 'All providers' }}
      every={30_000}
    >
      {({ data }) => <ProviderDetails provider={data} />}
    </RecordPage>
  );
}

function ProviderDetails({ provider }: { provider: Provider }) {
  const { id, attributes } = provider;
  const { data: session } = useSession();
  const mayChange = mayDo(session, 'run the network');
  return (
    <Page
      title={attributes.name}
      about={`Delivers codes by ${attributes.kind.toUpperCase()} since ${showTime(attributes.created_at)}.`}
      actions={
        <>
          <StateBadge {...providerState(provider)} />
          {mayChange && (
            <RemovePeer
              type="providers"
              id={id}
              label="Remove provider"
              question={`${attributes.name} gets no codes any more, and its routes go with it. Codes go by the next route that fits.`}
            />
          )}
        </>
      }
    >
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Details
          title="Last 24 hours"
          rows={[
            ['Messages', String(attributes.messages_sent)],
            ['Delivered', share(attributes.messages_delivered, attributes.messages_sent)],
            ['Failed', share(attributes.messages_failed, attributes.messages_sent)],
          ]}
        />
        <Details
          title="Does it work?"
          rows={[
            ['Failures in a row', String(attributes.failures)],
            ['Used last until', attributes.set_aside_until && showTime(attributes.set_aside_until)],
            [
              'Last failure',
              attributes.last_failure &&
                [attributes.last_failure, attributes.last_failure_at && `(${showTime(attributes.last_failure_at)})`]
                  .filter(Boolean)
                  .join(' '),
            ],
          ]}
        />
      </SimpleGrid>
      {attributes.kind === 'http' && <ProviderReceipts provider={provider} mayChange={mayChange} />}
      <PeerTests kind="provider" id={id} mayTest={mayDo(session, 'test providers')} />
      <RoutesOf kind="providers" id={id} name={attributes.name} />
      {mayChange ? (
        <PeerSettings
          type="providers"
          route="/operator/v1/providers"
          id={id}
          fields={providerFields}
          initial={providerValues(provider)}
          write={providerAttributes(false)}
          submit="Save provider"
        />
      ) : (
        <Paper withBorder p="md" component="section" aria-label="Settings">
          <Code block tabIndex={0}>
            {JSON.stringify(attributes.settings, null, 2)}
          </Code>
        </Paper>
      )}
    </Page>
  );
}
