/** One carrier: whether it answers, what it did in a day, its routes, its settings. */
import { Alert, Paper, SimpleGrid, Stack, Title } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession, useWrite } from '../api/queries.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { Details } from '../parts/details.tsx';
import { showTime } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import { FormError, Page } from '../parts/page.tsx';
import { RecordForm } from '../parts/record-form.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { StateBadge } from '../parts/states.tsx';
import { PeerHealthDetails } from '../parts/trunk-health.tsx';
import { attributesFor, type Carrier, carrierFields, valuesOf } from './carrier-fields.ts';
import { share } from './columns.tsx';
import { RoutesOf } from './peer-routes.tsx';
import { mayDo } from './permissions.ts';

export function CarrierPage() {
  const { id } = useParams({ from: '/operator/carriers/$id' });
  return (
    <RecordPage<Carrier>
      noun="Carrier"
      id={id}
      path={`/operator/v1/carriers/${encodeURIComponent(id)}`}
      list={{ to: '/operator/carriers', label: 'All carriers' }}
      every={30_000}
    >
      {({ data }) => <CarrierDetails carrier={data} />}
    </RecordPage>
  );
}

function CarrierDetails({ carrier }: { carrier: Carrier }) {
  const { id, attributes } = carrier;
  const { data: session } = useSession();
  const mayChange = mayDo(session, 'run the network');
  const [isSaved, setSaved] = useState(false);
  return (
    <Page
      title={attributes.name}
      about={`A carrier since ${showTime(attributes.created_at)}.`}
      actions={
        <>
          <StateBadge word={attributes.enabled ? 'in use' : 'off'} good={attributes.enabled || null} />
          {mayChange && <Remove carrier={carrier} />}
        </>
      }
    >
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Details
          title="Last 24 hours"
          rows={[
            ['Calls sent to it', String(attributes.calls_out)],
            ['Answered', share(attributes.calls_out_answered, attributes.calls_out)],
            ['Failed at it', share(attributes.calls_out_failed, attributes.calls_out)],
            [
              'Records',
              <RouteLink key="calls" to="/operator/calls" search={{ direction: 'out', 'carrier.id': id }}>
                Its calls
              </RouteLink>,
            ],
          ]}
        />
        {attributes.host !== null && <PeerHealthDetails health={attributes} />}
      </SimpleGrid>
      {attributes.host !== null && <RoutesOf kind="carriers" id={id} name={attributes.name} />}
      {mayChange ? (
        <Paper withBorder p="md" component="section" aria-label="Settings">
          <Stack>
            <Title order={2} size="h5">
              Settings
            </Title>
            <RecordForm<Carrier>
              key={JSON.stringify(valuesOf(carrier))}
              type="carriers"
              path="/operator/v1/carriers"
              id={id}
              fields={carrierFields}
              initial={valuesOf(carrier)}
              write={attributesFor(carrier)}
              submit="Save carrier"
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
        <Details
          title="Settings"
          rows={[
            ['Calls come from', attributes.addresses.join(', ') || null],
            ['Calls go to', attributes.host && `${attributes.host} ${attributes.port ?? ''} ${attributes.transport}`],
            ['Only to', attributes.prefixes?.join(', ') ?? 'all numbers'],
            ['Emergency calls', attributes.emergency_countries.join(', ') || null],
            ['Priority', String(attributes.priority)],
          ]}
        />
      )}
    </Page>
  );
}

function Remove({ carrier: { id, attributes } }: { carrier: Carrier }) {
  const navigate = useNavigate();
  const remove = useWrite(() => navigate({ to: '/operator/carriers' }));
  return (
    <>
      <ConfirmButton
        label="Remove carrier"
        question={`Calls from ${attributes.name} are refused and none are sent to it any more. Its routes go with it; calls that are up go on, and call records keep its name.`}
        onConfirm={() => remove.mutate({ method: 'DELETE', path: `/operator/v1/carriers/${id}` })}
      />
      <FormError text={remove.error?.message} />
    </>
  );
}
