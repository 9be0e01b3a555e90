/** The verification log: phones that were verified or not, how many in all, and one verification with its timeline. */

import { Alert, Code, Paper, SimpleGrid, Text, Timeline, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import type { One } from '../api/documents.ts';
import { useRead } from '../api/queries.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import { BarChart } from '../parts/bar-chart.tsx';
import { column } from '../parts/columns.tsx';
import { Details } from '../parts/details.tsx';
import { showMoney, showNumber, showTime, showWords } from '../parts/format.ts';
import { ButtonLink, RouteLink } from '../parts/links.tsx';
import type { ListColumn } from '../parts/list-rows.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { StateBadge } from '../parts/states.tsx';

type Verification = RecordOf<'/panel/v1/verifications'>;

const isGood: Readonly<Record<string, boolean>> = { verified: true, failed: false, expired: false, denied: false };
const method = ({ attributes }: Verification) => (attributes.delivery_method === 'sms' ? 'SMS' : 'Call');

const columns: readonly ListColumn<Verification>[] = [
  column('created', 'Started', ({ attributes }) => attributes.created_at, {
    sort: 'created_at',
    cell: ({ id, attributes }) => (
      <RouteLink to="/verifications/$id" params={{ id }}>
        {showTime(attributes.created_at)}
      </RouteLink>
    ),
  }),
  column('destination', 'Phone', ({ attributes }) => showNumber(attributes.destination), { sort: 'destination' }),
  column('method', 'By', method, { secondary: true }),
  column('application', 'Application', ({ attributes }) => attributes.application_name, { secondary: true }),
  column('fee', 'Fee', ({ attributes }) => attributes.fee, {
    sort: 'fee',
    optional: true,
    cell: ({ attributes }) => showMoney(attributes.fee),
  }),
  column('error', 'Reason', ({ attributes }) => attributes.error_code ?? '', { optional: true }),
  column('status', 'State', ({ attributes }) => attributes.status, {
    cell: ({ attributes }) => <StateBadge word={attributes.status} good={isGood[attributes.status] ?? null} />,
  }),
];

export function Verifications() {
  return (
    <Page
      title="Verification log"
      about="Every phone that an application tried to verify."
      actions={
        <ButtonLink to="/applications" variant="default">
          OTP applications
        </ButtonLink>
      }
    >
      <Conversion />
      <ResourceList
        name="verifications"
        path={pathWith('/panel/v1/verifications')}
        columns={columns}
        defaultSort="-created_at"
        every={5_000}
        search={{
          label: 'Digits of the phone number',
          parameters: (text) => ({ 'filter[destination_contains]': text.replace(/\D/g, '') || '–' }),
        }}
        filters={[
          {
            name: 'status',
            label: 'State',
            options: ['pending', 'verified', 'failed', 'expired', 'denied'].map((value) => ({
              value,
              label: showWords(value),
            })),
          },
          {
            name: 'delivery_method',
            label: 'By',
            options: [
              { value: 'sms', label: 'SMS' },
              { value: 'callout', label: 'Call' },
            ],
          },
        ]}
        empty={
          <Empty title="No verifications yet" action={<ButtonLink to="/applications">Try it out</ButtonLink>}>
            Open an application and try it out: the code arrives in the phone inbox.
          </Empty>
        }
      />
    </Page>
  );
}

/** Of those started, how many phones were verified. */
function Conversion() {
  const read = useRead(pathWith('/panel/v1/statistics', { days: 30 }));
  const days = read.data?.days ?? [];
  const [started, verified] = [sum(days.map((day) => day.verifications)), sum(days.map((day) => day.verified))];
  if (started === 0) return null;
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Paper withBorder p="md">
        <Text size="sm" c="dimmed">
          Verified in the last 30 days
        </Text>
        <Text size="xl" fw={700}>
          {Math.round((verified / started) * 100)} %
        </Text>
        <Text size="sm" c="dimmed">
          {verified} of {started} started
        </Text>
      </Paper>
      <Paper withBorder p="md">
        <BarChart
          label="Verifications by day"
          days={days.map(({ day, verifications, verified: good }) => ({ day, good, bad: verifications - good }))}
          words={['verified', 'not verified']}
        />
      </Paper>
    </SimpleGrid>
  );
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

export function VerificationPage() {
  const { id } = useParams({ from: '/verifications/$id' });
  return (
    <RecordPage
      noun="Verification"
      id={id}
      path={pathWith('/panel/v1/verifications/{id}', { id })}
      list={{ to: '/verifications', label: 'All verifications' }}
      every={3_000}
    >
      {(document) => <VerificationDetails document={document} />}
    </RecordPage>
  );
}

/** How the timeline tells of the end, where "It is …" is no English. */
const endings: Readonly<Record<string, string>> = { failed: 'It failed', expired: 'It expired' };

function VerificationDetails({ document: { data } }: { document: One<Verification> }) {
  const { attributes } = data;
  const isOver = attributes.status !== 'pending';
  const steps = [
    { at: attributes.created_at, text: `${attributes.application_name} asks for a code` },
    ...(attributes.dispatched_at
      ? [{ at: attributes.dispatched_at, text: `The code is handed over: ${method(data)}` }]
      : []),
    ...(attributes.wrong_reports > 0
      ? [
          {
            at: null,
            text: `${attributes.wrong_reports} wrong ${attributes.wrong_reports === 1 ? 'code' : 'codes'} reported`,
          },
        ]
      : []),
    isOver
      ? { at: attributes.final_at, text: endings[attributes.status] ?? `It is ${attributes.status}` }
      : { at: attributes.expires_at, text: 'The code is valid until then' },
  ];
  return (
    <Page
      title={showNumber(attributes.destination)}
      about={`${method(data)} · ${attributes.language}`}
      actions={<StateBadge word={attributes.status} good={isGood[attributes.status] ?? null} />}
    >
      {attributes.error_code && (
        <Alert color="red" variant="light" title={showWords(attributes.error_code)}>
          The reason that the API reports.
        </Alert>
      )}
      <Paper withBorder p="md">
        <Title order={2} size="h5" mb="md">
          Timeline
        </Title>
        <Timeline active={steps.length} bulletSize={14} lineWidth={2}>
          {steps.map(({ at, text }) => (
            <Timeline.Item key={text} title={<Text size="sm">{text}</Text>}>
              <Text size="sm" c="dimmed">
                {at === null ? '' : showTime(at)}
              </Text>
            </Timeline.Item>
          ))}
        </Timeline>
      </Paper>
      <Details
        title="Details"
        rows={[
          ['Id', <Code key="id">{data.id}</Code>],
          ['Application', attributes.application_name],
          ['Fee', showMoney(attributes.fee)],
        ]}
      />
    </Page>
  );
}
