/** One inbound call: both legs as a ladder, each step with its reason, and the events that were sent for it. */

import { Code } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import type { Call, One } from '../api/documents.ts';
import { useRead } from '../api/queries.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { CallSound } from '../parts/call-sound.tsx';
import { CallEvents, CallStory } from '../parts/call-story.tsx';
import { Details } from '../parts/details.tsx';
import { showMoney, showNumber, showSeconds, showTime } from '../parts/format.ts';
import type { Step } from '../parts/ladder.tsx';
import { Page } from '../parts/page.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { signatureOf } from '../parts/signature.ts';
import { CallResult } from '../parts/states.tsx';

type Attempt = RecordOf<'/panel/v1/call_attempts'>;

export function CallPage() {
  const { id } = useParams({ from: '/calls/$id' });
  return (
    <RecordPage
      noun="Call"
      id={id}
      path={pathWith('/panel/v1/calls/{id}', { id })}
      list={{ to: '/calls', label: 'All calls' }}
    >
      {(document) => <CallDetails document={document} />}
    </RecordPage>
  );
}

function CallDetails({ document: { data: call } }: { document: One<Call> }) {
  const { attributes } = call;
  const attempts = useRead(
    pathWith('/panel/v1/call_attempts', { 'filter[call_id]': attributes.call_id, sort: 'attempt' }),
  );
  return (
    <Page
      title={`${showNumber(attributes.src_number)} → ${showNumber(attributes.did_number)}`}
      about={`${showTime(attributes.time_start)} · ${showSeconds(attributes.duration)}`}
      actions={<CallResult call={attributes} />}
    >
      <CallStory
        callId={attributes.call_id}
        lanes={['Caller', 'Trunkline', 'Your trunk']}
        recorded={stepsOf(call, attempts.data?.data ?? [])}
      />
      <Details
        title="Details"
        rows={[
          ['Caller', verdictOf(attributes)],
          ['Forwarded call signed', signatureOf(attributes)],
          ['Call id', <Code key="id">{attributes.call_id}</Code>],
          ['Ended by', attributes.disconnect_initiator],
          ['Reason', `${attributes.disconnect_code} ${attributes.response}`],
          ['Trunk', attributes.voice_in_trunk_name],
          ['Trunk group', attributes.trunk_group_name],
          ['Capacity group', attributes.capacity_group_name],
          ['Cost', showMoney(attributes.amount)],
        ]}
      />
      <CallSound call={attributes} sides={['The caller', 'Your trunk']} />
      <CallEvents callId={attributes.call_id} />
    </Page>
  );
}

const levels = { A: 'the number is its customer’s', B: 'it knows the customer', C: 'the call came from elsewhere' };

/** Null where callers are not verified. */
function verdictOf(call: Call['attributes']): string | null {
  switch (call.caller_verdict) {
    case 'passed': {
      const level = call.caller_attestation;
      return `verified by ${call.caller_signer}${level ? ` (${level}: ${levels[level]})` : ''}`;
    }
    case 'failed':
      return `not verified: ${call.caller_verdict_reason}`;
    case 'none':
      return `could not be verified: ${call.caller_verdict_reason}`;
    default:
      return null;
  }
}

/** The steps as the records of the call and its attempts tell them. */
function stepsOf({ attributes: call }: Call, attempts: readonly Attempt[]): Step[] {
  const steps: Step[] = [
    { arrow: { from: 0, to: 1, text: 'INVITE' }, note: `The call arrives for ${showNumber(call.did_number)}` },
  ];
  const tried = attempts.filter(({ attributes }) => attributes.voice_in_trunk_name !== null);
  for (const { attributes } of tried) {
    steps.push({
      arrow: { from: 1, to: 2, text: 'INVITE' },
      note: `Attempt ${attributes.attempt}: ${[attributes.voice_in_trunk_name, attributes.destination].filter(Boolean).join(', ')}`,
    });
    if (!attributes.success) {
      const isLast = attributes.attempt === tried.length;
      steps.push({
        arrow: { from: 2, to: 1, text: `${attributes.disconnect_code}`, bad: true },
        note: `${attributes.response}: ${isLast ? 'nothing is left to try' : 'the next trunk is tried'}`,
      });
    }
  }
  if (!call.success) {
    const note = tried.length === 0 ? `Refused before any trunk was tried: ${call.response}` : call.response;
    return [...steps, { arrow: { from: 1, to: 0, text: `${call.disconnect_code}`, bad: true }, note }];
  }
  const byCaller = call.disconnect_initiator !== 'termination';
  return [
    ...steps,
    { arrow: { from: 2, to: 1, text: '200' }, note: 'Your equipment answers' },
    { arrow: { from: 1, to: 0, text: '200' }, note: 'The caller is connected' },
    {
      arrow: { from: byCaller ? 0 : 2, to: 1, text: 'BYE' },
      note: `${byCaller ? 'The caller' : 'Your side'} hangs up after ${showSeconds(call.duration)}`,
    },
  ];
}
