/** One number: what it is, the way of a call to it, what happened to it. */

import { Alert, Button, Paper, Stack, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useWrite } from '../api/acts.ts';
import { type Did, type One, related } from '../api/documents.ts';
import { pathWith } from '../api/routes.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { Details } from '../parts/details.tsx';
import { Features } from '../parts/features.tsx';
import { showDate, showMoney, showNumber } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import { FormError, Page } from '../parts/page.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { RouteTest } from '../parts/route-test.tsx';
import { DidState } from '../parts/states.tsx';
import { DueDate } from '../parts/when.tsx';
import { update, updated } from './number-change.ts';
import { DescriptionForm, RouteForm } from './number-forms.tsx';
import { NumberPath } from './number-path.tsx';
import { History, NewestCalls } from './number-story.tsx';

export function NumberPage() {
  const { id } = useParams({ from: '/numbers/$id' });
  return (
    <RecordPage
      noun="Number"
      id={id}
      path={pathWith('/v3/dids/{id}', {
        id,
        include: 'did_group.country,did_group.did_group_type,voice_in_trunk,voice_in_trunk_group.voice_in_trunks,order',
      })}
      list={{ to: '/numbers', label: 'All numbers' }}
    >
      {(document) => <NumberDetails key={id} document={document} />}
    </RecordPage>
  );
}

function NumberDetails({ document }: { document: One<Did> }) {
  const did = document.data;
  const { attributes } = did;
  const group = related(document, did, 'did_group');
  const country = related(document, group, 'country');
  const kind = related(document, group, 'did_group_type');
  const order = related(document, did, 'order');
  const price = order?.attributes.items
    .map(({ attributes: item }) => item)
    .find((item) => 'did_group_id' in item && item.did_group_id === group?.id && 'monthly_price' in item);
  return (
    <Page
      title={showNumber(attributes.number)}
      state={<DidState did={did} />}
      about={attributes.description ?? undefined}
      facts={[
        [group?.attributes.area_name, country?.attributes.name].filter(Boolean).join(', '),
        attributes.expires_at !== null && (
          <>
            {attributes.terminated ? 'ends' : 'paid until'} <DueDate iso={attributes.expires_at} />
          </>
        ),
      ]}
      actions={<EndOrKeep did={did} />}
    >
      {attributes.awaiting_registration && (
        <Alert color="yellow" variant="light" title="This number waits for registration">
          It takes calls once the paperwork for it is approved.{' '}
          <RouteLink to="/registrations/new" search={{ number: did.id }}>
            Register it now
          </RouteLink>
        </Alert>
      )}
      <div className="with-rail">
        <Stack gap="lg">
          <Paper withBorder p="md">
            <Stack gap="md">
              <Title order={2} size="h5">
                Where it rings
              </Title>
              <NumberPath document={document} />
              <RouteForm did={did} />
            </Stack>
          </Paper>
          <RouteTest number={attributes.number} />
          <NewestCalls number={attributes.number} />
          <History number={attributes.number} />
        </Stack>
        <Stack gap="lg">
          <Details
            title="Details"
            rows={[
              ['Country', country?.attributes.name],
              ['Place', group?.attributes.area_name],
              ['Kind', kind?.attributes.name],
              ['Can do', group && <Features names={group.attributes.features} />],
              ['Price', price && 'monthly_price' in price && `${showMoney(price.monthly_price)} a month`],
              ['Channels included', attributes.channels_included_count],
              ['Bought', showDate(attributes.created_at)],
              ['Paid until', attributes.expires_at && <DueDate iso={attributes.expires_at} />],
              [
                'Order',
                order && (
                  <RouteLink to="/orders/$id" params={{ id: order.id }}>
                    {order.attributes.reference}
                  </RouteLink>
                ),
              ],
            ]}
          />
          <DescriptionForm did={did} />
        </Stack>
      </div>
    </Page>
  );
}

/** A number that is cancelled works until its paid time is over, and can be kept until then. */
function EndOrKeep({ did }: { did: Did }) {
  const write = useWrite<'PATCH /v3/dids/{id}'>();
  if (did.attributes.terminated) {
    return (
      <>
        <Button
          size="compact-sm"
          variant="default"
          loading={write.isPending}
          onClick={() => write.mutate(update(did, { attributes: { terminated: false } }))}
        >
          Keep this number
        </Button>
        <FormError text={write.error?.message} />
      </>
    );
  }
  return (
    <ConfirmButton
      label="Cancel number"
      question={`It works until ${did.attributes.expires_at === null ? 'its paid time is over' : showDate(did.attributes.expires_at)}, and can be kept until then. Afterwards it is gone.`}
      act={(send) =>
        send('PATCH', pathWith('/v3/dids/{id}', { id: did.id }), updated(did, { attributes: { terminated: true } }))
      }
    />
  );
}
