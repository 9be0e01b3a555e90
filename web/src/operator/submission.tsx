/** One submission: its files beside what is asked for, and the decision by one key. */

import {
  Alert,
  Button,
  Group,
  Kbd,
  List,
  Paper,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  Textarea,
  Title,
} from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { type One, related } from '../api/documents.ts';
import { useRead, useSession } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { Details } from '../parts/details.tsx';
import { showNumber, showTime, showWords } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import { Failure, FormError, Page, Waiting } from '../parts/page.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { ReviewStatus } from '../parts/states.tsx';
import { DocumentViewer } from './document-viewer.tsx';
import type { Papers, Submission } from './documents.ts';
import { mayDo } from './permissions.ts';
import { pendingPath } from './review.tsx';

export function SubmissionPage() {
  const { id } = useParams({ from: '/operator/review/$id' });
  return (
    <RecordPage
      noun="Submission"
      id={id}
      path={pathWith('/operator/v1/submissions/{id}', { id, include: 'account' })}
      list={{ to: '/operator/review', label: 'Review queue' }}
    >
      {(document) => <Review key={id} document={document} />}
    </RecordPage>
  );
}

/** The submissions that wait before and after this one. */
function useNeighbours(id: string) {
  const navigate = useNavigate();
  const pending = useRead(pendingPath);
  const waiting = (pending.data?.data ?? []).filter((each) => each.id !== id);
  const position = (pending.data?.data ?? []).findIndex((each) => each.id === id);
  const show = (other: Submission | undefined) =>
    navigate(
      other === undefined ? { to: '/operator/review' } : { to: '/operator/review/$id', params: { id: other.id } },
    );
  return {
    count: waiting.length,
    next: () => show(waiting[Math.max(position, 0)] ?? waiting[0]),
    previous: () => show(waiting[position - 1] ?? waiting.at(-1)),
  };
}

function Review({ document }: { document: One<Submission> }) {
  const { data: submission } = document;
  const { id, attributes } = submission;
  const { data: session } = useSession();
  const customer = related(document, submission, 'account');
  const papers = useRead(pathWith('/operator/v1/submission_papers', { submission: id }));
  const { next, previous, count } = useNeighbours(id);
  useHotkeys(
    count === 0
      ? []
      : [
          ['J', next],
          ['K', previous],
        ],
  );
  return (
    <Page
      title={`${attributes.kind === 'address_verifications' ? 'Registration' : 'Emergency calling'} ${attributes.reference}`}
      about={
        <>
          Submitted {showTime(attributes.created_at)} by{' '}
          {customer === undefined ? (
            'a customer'
          ) : (
            <RouteLink to="/operator/accounts/$id" params={{ id: customer.id }} style={{ textDecoration: 'underline' }}>
              {customer.attributes.name}
            </RouteLink>
          )}
          {attributes.decided_at !== null && ` · decided ${showTime(attributes.decided_at)}`}
          {count > 0 && ` · ${count} more ${count === 1 ? 'waits' : 'wait'}`}
        </>
      }
      actions={
        <>
          <ReviewStatus status={attributes.status} />
          {count > 0 && (
            <>
              <Button variant="default" size="xs" onClick={previous} rightSection={<Kbd size="xs">K</Kbd>}>
                Previous
              </Button>
              <Button variant="default" size="xs" onClick={next} rightSection={<Kbd size="xs">J</Kbd>}>
                Next
              </Button>
            </>
          )}
        </>
      }
    >
      {attributes.status === 'rejected' && (
        <Alert color="red" variant="light" title="Rejected. The customer was told:">
          <List size="sm">
            {(attributes.reject_reasons ?? []).map((reason) => (
              <List.Item key={reason}>{reason}</List.Item>
            ))}
          </List>
          {attributes.reject_comment !== null && <Text size="sm">{attributes.reject_comment}</Text>}
        </Alert>
      )}
      {attributes.status === 'pending' && mayDo(session, 'review') && <Decide id={id} onDone={next} />}
      {papers.error && <Failure error={papers.error} />}
      {papers.isPending && <Waiting />}
      {papers.data?.id === id && <Compared papers={papers.data} />}
    </Page>
  );
}

/** Left the files, right what is asked for and what was written. */
function Compared({ papers }: { papers: Papers }) {
  const { required, identity, address, numbers, files, service_description: service } = papers;
  const groups = [...new Set(required.map(({ of }) => of))];
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg" style={{ alignItems: 'start' }}>
      <DocumentViewer files={files} />
      <Stack>
        <Paper withBorder p="md" component="section" aria-label="What is asked for">
          <Title order={2} size="h5" mb="xs">
            What is asked for
          </Title>
          {groups.length === 0 && (
            <Text size="sm" c="dimmed">
              Nothing: these numbers need no paperwork any more.
            </Text>
          )}
          {groups.map((group) => (
            <div key={group}>
              <Text size="sm" fw={600} mt="xs">
                {group}
              </Text>
              <List size="sm">
                {required
                  .filter(({ of }) => of === group)
                  .map(({ text }) => (
                    <List.Item key={text}>{text}</List.Item>
                  ))}
              </List>
            </div>
          ))}
        </Paper>
        {identity !== null && <Details title="Identity" rows={rowsOf(identity)} />}
        {address !== null && <Details title="Address" rows={rowsOf(address)} />}
        <Details
          title="Numbers"
          rows={[
            ['Numbers', numbers.map(showNumber).join(', ')],
            ...(service === null ? [] : [['Service', service] as [string, string]]),
          ]}
        />
      </Stack>
    </SimpleGrid>
  );
}

const unread = new Set(['id', 'identity_id', 'created_at', 'external_reference_id']);

const rowsOf = (record: Readonly<Record<string, string | null>>): [string, string][] =>
  Object.entries(record).flatMap(([name, value]) =>
    value === null || value === '' || unread.has(name) ? [] : [[showWords(name), value]],
  );

const usualReasons = [
  'A document cannot be read',
  'A document has expired',
  'The name differs from the document',
  'The address differs from the document',
  'The document is of another kind than asked for',
];

function Decide({ id, onDone }: { id: string; onDone: () => void }) {
  const write = useWrite<'PATCH /operator/v1/submissions/{id}'>(onDone);
  const [isRejecting, setRejecting] = useState(false);
  const [reasons, setReasons] = useState<string[]>([]);
  const [comment, setComment] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const send = (attributes: object) =>
    write.mutate({
      method: 'PATCH',
      path: pathWith('/operator/v1/submissions/{id}', { id }),
      body: { data: { type: 'submissions', id, attributes } },
    });
  const approve = () => !write.isPending && send({ decision: 'approve' });
  const reject = () => {
    setRejecting(true);
    window.setTimeout(() => field.current?.focus());
  };
  useHotkeys([
    ['A', approve],
    ['R', reject],
  ]);
  return (
    <Paper withBorder p="md" component="section" aria-label="Decision">
      <Stack>
        {!isRejecting && (
          <Group>
            <Button loading={write.isPending} onClick={approve} rightSection={<Kbd size="xs">A</Kbd>}>
              Approve
            </Button>
            <Button color="red" variant="light" onClick={reject} rightSection={<Kbd size="xs">R</Kbd>}>
              Reject …
            </Button>
            <Text size="sm" c="dimmed">
              A decision is final, and the next submission follows.
            </Text>
          </Group>
        )}
        {isRejecting && (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              send({
                decision: 'reject',
                reject_reasons: reasons,
                ...(comment.trim() === '' ? {} : { reject_comment: comment.trim() }),
              });
            }}
          >
            <Stack>
              <TagsInput
                ref={field}
                label="Reasons"
                description="The customer sees these. Choose some, or write your own and press Enter."
                data={usualReasons}
                // The list would cover the buttons below before anybody has asked for it.
                openOnFocus={false}
                acceptValueOnBlur
                value={reasons}
                onChange={setReasons}
              />
              <Textarea
                label="Note to the customer"
                autosize
                minRows={2}
                value={comment}
                onChange={({ currentTarget }) => setComment(currentTarget.value)}
              />
              <Group>
                <Button type="submit" color="red" loading={write.isPending} disabled={reasons.length === 0}>
                  Reject
                </Button>
                <Button variant="default" onClick={() => setRejecting(false)}>
                  Back
                </Button>
              </Group>
            </Stack>
          </form>
        )}
        <FormError text={write.error?.message} />
      </Stack>
    </Paper>
  );
}
