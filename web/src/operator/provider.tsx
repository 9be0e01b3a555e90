/** One provider of codes: whether it works, what it did in a day, a test message, its routes, its settings. */
import { Alert, Code, Paper, SimpleGrid, Stack, Title } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession, useWrite } from '../api/queries.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { Details } from '../parts/details.tsx';
import { showTime } from '../parts/format.ts';
import { FormError, Page } from '../parts/page.tsx';
import { RecordForm } from '../parts/record-form.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { StateBadge } from '../parts/states.tsx';
import { share } from './columns.tsx';
import { RoutesOf } from './peer-routes.tsx';
import { mayDo } from './permissions.ts';
import { type Provider, providerAttributes, providerFields, providerValues } from './provider-fields.ts';
import { ProviderTests } from './provider-tests.tsx';
import { providerState } from './providers.tsx';

export function ProviderPage() {
  const { id } = useParams({ from: '/operator/providers/$id' });
  return (
    <RecordPage<Provider>
      noun="Provider"
      id={id}
      path={`/operator/v1/providers/${encodeURIComponent(id)}`}
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
  const [isSaved, setSaved] = useState(false);
  const values = providerValues(provider);
  return (
    <Page
      title={attributes.name}
      about={`Delivers codes by ${attributes.kind.toUpperCase()} since ${showTime(attributes.created_at)}.`}
      actions={
        <>
          <StateBadge {...providerState(provider)} />
          {mayChange && <Remove provider={provider} />}
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
              attributes.last_failure && `${attributes.last_failure} (${showTime(attributes.last_failure_at)})`,
            ],
          ]}
        />
      </SimpleGrid>
      <ProviderTests id={id} mayTest={mayDo(session, 'test providers')} />
      <RoutesOf kind="providers" id={id} name={attributes.name} />
      {mayChange ? (
        <Paper withBorder p="md" component="section" aria-label="Settings">
          <Stack>
            <Title order={2} size="h5">
              Settings
            </Title>
            <RecordForm<Provider>
              key={JSON.stringify(values)}
              type="providers"
              path="/operator/v1/providers"
              id={id}
              fields={providerFields}
              initial={values}
              write={providerAttributes(false)}
              submit="Save provider"
              onSaved={() => setSaved(true)}
            />
            {isSaved && (
              <Alert color="teal" variant="light" role="status">
                Saved. It holds from now on.
              </Alert>
            )}
          </Stack>
        </Paper>
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

function Remove({ provider: { id, attributes } }: { provider: Provider }) {
  const navigate = useNavigate();
  const remove = useWrite(() => navigate({ to: '/operator/providers' }));
  return (
    <>
      <ConfirmButton
        label="Remove provider"
        question={`${attributes.name} gets no codes any more, and its routes go with it. Codes go by the next route that fits.`}
        onConfirm={() => remove.mutate({ method: 'DELETE', path: `/operator/v1/providers/${id}` })}
      />
      <FormError text={remove.error?.message} />
    </>
  );
}
