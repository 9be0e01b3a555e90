/**
 * Registering numbers in five steps: what is needed, who, where, documents, submitting. Each step is stored by the
 * server as soon as it is done, so somebody who comes back goes on where they were. A step is left when the server,
 * which judges it as it will judge the submission, misses nothing in it; what was stored is mended where it was
 * entered.
 */

import { Alert, Paper, Stepper, Text } from '@mantine/core';
import type { One } from '../api/documents.ts';
import { useRead } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { showNumber } from '../parts/format.ts';
import { ButtonLink, RouteLink } from '../parts/links.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { Empty, Failure, Page, Waiting } from '../parts/page.tsx';
import { RecordSelect } from '../parts/picker.tsx';
import { nameOf, type Requirement, requirementInclude, unregistered } from './paperwork.ts';
import { type RegistrationCheck, readCheck, useCheck } from './registration-check.tsx';
import { AddressStep, IdentityStep } from './registration-choices.tsx';
import { DocumentStep } from './registration-documents.tsx';
import { Needs } from './registration-needs.tsx';
import { Submit } from './registration-submit.tsx';

const anyNumber = unregistered();

export function RegistrationWizard() {
  const [search, change] = useListSearch();
  const waiting = useRead(pathWith('/panel/v1/unregistered_numbers', { 'page[size]': 2 }));
  const listed = waiting.data?.data ?? [];
  const total = waiting.data?.meta?.total_records ?? listed.length;
  // The only one there is needs no choice. One that is named is that one, whatever has become of it.
  const only = total === 1 ? listed[0]?.id : undefined;
  const chosen = search.number === undefined ? only : String(search.number);
  const { check, error } = useCheck({ numbers: chosen ? [chosen] : [], onetimeFiles: 0, isDescribed: false });
  const number = check?.numbers[0];
  // Of a number that is listed it is known before the check says so.
  const requirementId =
    number?.requirement_id ?? listed.find(({ id }) => id === chosen)?.attributes.requirement_id ?? null;
  const requirement = useRead(
    requirementId === null
      ? null
      : pathWith('/v3/address_requirements/{id}', { id: requirementId, include: requirementInclude }),
  );
  if (waiting.error) return <Failure error={waiting.error} retry={() => waiting.refetch()} />;
  if (waiting.isPending) return <Waiting />;
  if (total === 0 && chosen === undefined) {
    return (
      <Page title="Register numbers">
        <Paper withBorder>
          <Empty
            title="No number waits for registration"
            action={<ButtonLink to="/registrations">Registrations</ButtonLink>}
          >
            Numbers of groups that need paperwork appear here after they were bought.
          </Empty>
        </Paper>
      </Page>
    );
  }
  const isReady = number?.state === 'unregistered' && requirement.data?.data.id === number.requirement_id;
  return (
    <Page
      title="Register numbers"
      about="Five steps. What you enter is stored as you go; files are encrypted before they leave this browser."
    >
      <RecordSelect
        label="Number"
        description="Others that need the same paperwork can be added at the end."
        placeholder="Choose a number"
        maw={360}
        allowDeselect={false}
        source={anyNumber}
        value={number?.state === 'unregistered' ? number.id : null}
        onChange={(id) => change({ number: id ?? undefined, step: undefined, onetime: undefined, also: undefined })}
      />
      {error !== null && <Failure error={error} />}
      {number !== undefined && <NotNow number={number} />}
      {isReady && requirement.data && (
        <Steps key={number.requirement_id} requirement={requirement.data} first={number.id} />
      )}
      {number?.state === 'unregistered' && !isReady && <Waiting />}
    </Page>
  );
}

/** Why the number that was asked for is not registered here. */
function NotNow({ number }: { number: RegistrationCheck['numbers'][number] }) {
  const name = number.number === null ? 'This number' : showNumber(number.number);
  if (number.state === 'unregistered') return null;
  if (number.state === 'under_review' && number.pending_verification_id !== null) {
    return (
      <Alert color="yellow" variant="light" title={`${name} is under review already`} role="status">
        <RouteLink to="/registrations/$id" params={{ id: number.pending_verification_id }}>
          Its registration
        </RouteLink>{' '}
        waits for the reviewer.
      </Alert>
    );
  }
  return (
    <Alert
      color={number.state === 'unknown' ? 'red' : 'teal'}
      variant="light"
      title={number.state === 'unknown' ? 'This number is not in your account' : `${name} needs no registration`}
      role="status"
    >
      <Text size="sm">Choose another number to register that one.</Text>
    </Alert>
  );
}

const stepNames = ['What is needed', 'Identity', 'Address', 'Documents', 'Submit'];
const last = stepNames.length - 1;

function Steps({ requirement, first }: { requirement: One<Requirement>; first: string }) {
  const [search, change] = useListSearch();
  const [identityId, addressId] = [idIn(search.identity), idIn(search.address)];
  const onetimeFiles = String(search.onetime ?? '')
    .split('.')
    .filter(Boolean);
  // With the company, the person or the address that is named but gone, the step asks anew.
  const identity = useRead(
    identityId === undefined
      ? null
      : pathWith('/v3/identities/{id}', {
          id: identityId,
          include: 'country,birth_country,proofs.proof_type,permanent_documents.template',
        }),
  );
  const address = useRead(
    addressId === undefined
      ? null
      : pathWith('/v3/addresses/{id}', { id: addressId, include: 'identity,proofs.proof_type' }),
  );
  const who = identity.data?.data.id === identityId && !identity.error ? identity.data : undefined;
  const where = address.data?.data.id === addressId && !address.error ? address.data : undefined;
  const registration = {
    ...{ numbers: [first], onetimeFiles: onetimeFiles.length },
    ...{ identity: who?.data.id, address: where?.data.id },
    isDescribed: requirement.data.attributes.service_description_required,
  };
  const { check } = useCheck(registration);
  const isReading = (identityId && identity.isPending) || (addressId && address.isPending);
  const missingIn = (part: string) => check?.problems.filter((problem) => problem.part === part);
  const reached = who === undefined ? 1 : where === undefined ? 2 : last;
  const step = Math.max(0, Math.min(Number(search.step ?? 0) || 0, isReading ? last : reached));
  const go = (next: number) => change({ step: next });
  /** After something was stored: on to the next step, unless the server misses something in this one. */
  const advance = async (part: string, changes: { identity?: string; address?: string }, next: number) => {
    const { problems } = await readCheck({ ...registration, ...changes });
    change({ ...changes, ...(problems.some((problem) => problem.part === part) ? {} : { step: next }) });
  };
  if (isReading) return <Waiting />;
  return (
    <>
      <Text hiddenFrom="sm" fw={600} size="sm">
        {`Step ${step + 1} of ${stepNames.length}: ${stepNames[step]}`}
      </Text>
      <Stepper
        className="steps"
        active={step}
        onStepClick={(index) => index < step && go(index)}
        size="sm"
        wrap={false}
        allowNextStepsSelect={false}
      >
        <Stepper.Step label={stepNames[0]}>
          <Needs document={requirement} next={() => go(1)} />
        </Stepper.Step>
        <Stepper.Step label={stepNames[1]} description={who && nameOf(who.data)}>
          <IdentityStep
            requirement={requirement}
            chosen={who}
            missing={missingIn('identity')}
            choose={(id) => change({ identity: id, address: undefined })}
            onSaved={(id) => advance('identity', { identity: id }, 2)}
            next={() => go(2)}
          />
        </Stepper.Step>
        <Stepper.Step label={stepNames[2]} description={where?.data.attributes.city_name}>
          {who && (
            <AddressStep
              requirement={requirement}
              identityId={who.data.id}
              chosen={where}
              missing={missingIn('address')}
              choose={(id) => change({ address: id })}
              onSaved={(id) => advance('address', { address: id }, 3)}
              next={() => go(3)}
            />
          )}
        </Stepper.Step>
        <Stepper.Step label={stepNames[3]}>
          {who && where && (
            <DocumentStep
              requirement={requirement}
              identity={who}
              address={where}
              onetimeFiles={onetimeFiles}
              setOnetimeFiles={(ids) => change({ onetime: ids.join('.') || undefined })}
              missing={missingIn('documents')}
              next={() => go(last)}
            />
          )}
        </Stepper.Step>
        <Stepper.Step label={stepNames[4]}>
          {who && where && (
            <Submit
              requirement={requirement}
              identity={who.data}
              address={where.data}
              onetimeFiles={onetimeFiles}
              first={first}
              also={String(search.also ?? '')
                .split('.')
                .filter(Boolean)}
              go={go}
            />
          )}
        </Stepper.Step>
      </Stepper>
    </>
  );
}

const idIn = (value: string | number | undefined): string | undefined =>
  value === undefined ? undefined : String(value);
