/**
 * One outbound call: both legs as a ladder, the reason of each choice, what it cost, and the events that were sent for
 * it.
 */

import { Code } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import type { One } from '../api/documents.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { CallSound } from '../parts/call-sound.tsx';
import { CallEvents, CallStory } from '../parts/call-story.tsx';
import { Details } from '../parts/details.tsx';
import { showMoney, showNumber, showSeconds, showTime, timeOrDash } from '../parts/format.ts';
import type { Step } from '../parts/ladder.tsx';
import { Page } from '../parts/page.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { signatureOf } from '../parts/signature.ts';
import { CallResult } from '../parts/states.tsx';

export type OutboundCall = RecordOf<'/panel/v1/outbound_calls'>;

export function OutboundCallPage() {
  const { id } = useParams({ from: '/calls/out/$id' });
  return (
    <RecordPage
      noun="Outbound call"
      id={id}
      path={pathWith('/panel/v1/outbound_calls/{id}', { id })}
      list={{ to: '/calls', label: 'All calls' }}
    >
      {(document) => <OutboundCallDetails document={document} />}
    </RecordPage>
  );
}

function OutboundCallDetails({ document: { data: call } }: { document: One<OutboundCall> }) {
  const { attributes } = call;
  return (
    <Page
      title={`${showNumber(attributes.src_number)} → ${showNumber(attributes.dst_number)}`}
      about={`Outbound · ${showTime(attributes.time_start)} · ${showSeconds(attributes.duration)}`}
      actions={<CallResult call={attributes} />}
    >
      <CallStory
        callId={attributes.call_id}
        lanes={['Your equipment', 'Trunkline', 'Called side']}
        recorded={stepsOf(call)}
      />
      <Details
        title="Details"
        rows={[
          ['Call id', <Code key="id">{attributes.call_id}</Code>],
          ['Presented', showNumber(attributes.src_number)],
          ['You presented', showNumber(attributes.original_src_number)],
          ['Signed', signatureOf(attributes)],
          ['Outbound trunk', attributes.voice_out_trunk_name],
          ['Country', attributes.country],
          ['Answered', timeOrDash(attributes.time_connect)],
          ['Ended with', `${attributes.disconnect_code} ${attributes.disconnect_reason}`],
          ['Charged', `${showSeconds(attributes.billing_duration)} for ${showMoney(attributes.price)}`],
        ]}
      />
      <CallSound call={attributes} sides={['Your equipment', 'The called side']} />
      <CallEvents callId={attributes.call_id} />
    </Page>
  );
}

/** The steps as the record of the call tells them. It does not say which side hung up. */
function stepsOf({ attributes: call }: OutboundCall): Step[] {
  const arrives: Step = {
    arrow: { from: 0, to: 1, text: 'INVITE' },
    note: `Your equipment calls ${showNumber(call.dst_number)} through ${call.voice_out_trunk_name}`,
  };
  if (!call.success) {
    const refused = { from: 1, to: 0, text: `${call.disconnect_code}`, bad: true };
    return [arrives, { arrow: refused, note: call.disconnect_reason }];
  }
  return [
    arrives,
    {
      arrow: { from: 1, to: 2, text: 'INVITE' },
      note: `The call is sent on, presenting ${showNumber(call.src_number)}`,
    },
    { arrow: { from: 2, to: 1, text: '200' }, note: 'The called side answers' },
    { arrow: { from: 1, to: 0, text: '200' }, note: 'Your equipment is connected' },
    { note: `The call ends after ${showSeconds(call.duration)}: ${call.disconnect_reason}` },
  ];
}
