/** One carrier: whether it answers, what it did in a day, tests, its routes, its settings. */

import { SimpleGrid } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useSession } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { Details } from '../parts/details.tsx';
import { showTime } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import { Page } from '../parts/page.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { StateBadge } from '../parts/states.tsx';
import { PeerHealthDetails } from '../parts/trunk-health.tsx';
import { attributesFor, type Carrier, carrierFields, valuesOf } from './carrier-fields.ts';
import { share } from './columns.tsx';
import { RoutesOf } from './peer-routes.tsx';
import { PeerSettings, RemovePeer } from './peer-settings.tsx';
import { PeerTests } from './peer-tests.tsx';
import { mayDo } from './permissions.ts';

/** Of what it sent, in calls in and out. */
function soundOf({ calls, one_way, mos, lost_percent }: Carrier['attributes']['sound_last_day']): string | null {
  if (calls === 0) return null;
  return `MOS ${mos ?? '–'}, ${lost_percent ?? '–'} % lost, ${one_way} of ${calls} calls with a side not heard`;
}

export function CarrierPage() {
  const { id } = useParams({ from: '/operator/carriers/$id' });
  return (
    <RecordPage
      noun="Carrier"
      id={id}
      path={pathWith('/operator/v1/carriers/{id}', { id })}
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
  return (
    <Page
      title={attributes.name}
      about={`A carrier since ${showTime(attributes.created_at)}.`}
      actions={
        <>
          <StateBadge word={attributes.enabled ? 'in use' : 'off'} good={attributes.enabled || null} />
          {mayChange && (
            <RemovePeer
              type="carriers"
              id={id}
              label="Remove carrier"
              question={`Calls from ${attributes.name} are refused and none are sent to it any more. Its routes go with it; calls that are up go on, and call records keep its name.`}
            />
          )}
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
            ['Sounded', soundOf(attributes.sound_last_day)],
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
      {attributes.host !== null && <PeerTests kind="carrier" id={id} mayTest={mayDo(session, 'test providers')} />}
      {attributes.host !== null && <RoutesOf kind="carriers" id={id} name={attributes.name} />}
      {mayChange ? (
        <PeerSettings
          type="carriers"
          route="/operator/v1/carriers"
          id={id}
          fields={carrierFields}
          initial={valuesOf(carrier)}
          write={attributesFor(carrier)}
          submit="Save carrier"
        />
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
