/**
 * Registering numbers in five steps: what is needed, who, where, documents, submitting. Each step is stored by the server as
 * soon as it is done, so somebody who comes back goes on where they were. The last step asks the server what is missing.
 */
import { Button, Group, Paper, Select, Stack, Stepper, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { type Did, type Many, type Named, type One, related } from '../api/documents.ts';
import { pathWith, useRead } from '../api/queries.ts';
import { showNumber } from '../parts/format.ts';
import { ButtonLink } from '../parts/links.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { Empty, Failure, Page, Waiting } from '../parts/page.tsx';
import { RecordForm } from '../parts/record-form.tsx';
import {
  type Address,
  type Identity,
  identityLinks,
  linkOf,
  nameOf,
  numberInclude,
  type Requirement,
  requirementInclude,
  useAddressFields,
  useIdentityFields,
} from './paperwork.ts';
import { DocumentStep } from './registration-documents.tsx';
import { Needs } from './registration-needs.tsx';
import { Submit } from './registration-submit.tsx';

const useIdentities = () =>
  useRead<Many<Identity>>(pathWith('/v3/identities', { sort: '-created_at', 'page[size]': 100 }));

const useAddressesOf = (identity: string | number | undefined) =>
  useRead<Many<Address>>(
    identity === undefined
      ? null
      : pathWith('/v3/addresses', { 'filter[identity.id]': identity, include: 'identity', 'page[size]': 100 }),
  );

export function RegistrationWizard() {
  const [search, change] = useListSearch();
  // The steps need them; asked for here, they do not wait for the numbers and their requirement.
  useIdentities();
  useAddressesOf(search.identity);
  const waiting = useRead<Many<Did>>(
    pathWith('/v3/dids', { 'filter[awaiting_registration]': 'true', include: numberInclude, 'page[size]': 100 }),
  );
  const first = waiting.data?.data.find(({ id }) => id === search.number) ?? waiting.data?.data[0];
  const group = related<Named['attributes']>(waiting.data, first, 'did_group');
  const requirementId = linkOf(group, 'address_requirement');
  const requirement = useRead<One<Requirement>>(
    requirementId === null
      ? null
      : pathWith(`/v3/address_requirements/${requirementId}`, { include: requirementInclude }),
  );
  if (waiting.isPending || (requirementId !== null && requirement.isPending)) return <Waiting />;
  if (waiting.error) return <Failure error={waiting.error} retry={() => waiting.refetch()} />;
  if (first === undefined || requirement.data === undefined) {
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
  // One submission is for numbers with the same requirement.
  const together = waiting.data.data.filter(
    (did) => linkOf(related(waiting.data, did, 'did_group'), 'address_requirement') === requirementId,
  );
  return (
    <Page
      title="Register numbers"
      about="Five steps. What you enter is stored as you go; files are encrypted before they leave this browser."
    >
      <Select
        label="Number"
        description="Others that need the same paperwork can be added at the end."
        maw={360}
        allowDeselect={false}
        data={waiting.data.data.map(({ id, attributes }) => ({ value: id, label: showNumber(attributes.number) }))}
        value={first.id}
        onChange={(number) => change({ number: number ?? undefined, step: undefined, onetime: undefined })}
      />
      <Steps key={requirementId} requirement={requirement.data} first={first} together={together} />
    </Page>
  );
}

const stepNames = ['What is needed', 'Identity', 'Address', 'Documents', 'Submit'];

interface StepsProps {
  requirement: One<Requirement>;
  first: Did;
  together: readonly Did[];
}

function Steps({ requirement, first, together }: StepsProps) {
  const [search, change] = useListSearch();
  const step = Number(search.step ?? 0);
  const go = (next: number, more: Record<string, string> = {}) => change({ ...more, step: next });
  const identities = useIdentities();
  const addresses = useAddressesOf(search.identity);
  const identity = identities.data?.data.find(({ id }) => id === search.identity);
  const address = addresses.data?.data.find(({ id }) => id === search.address);
  const onetimeFiles = String(search.onetime ?? '')
    .split('.')
    .filter(Boolean);
  return (
    <>
      <Text hiddenFrom="sm" fw={600} size="sm">
        {`Step ${Math.min(step, stepNames.length - 1) + 1} of ${stepNames.length}: ${stepNames[step] ?? 'Submit'}`}
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
        <Stepper.Step label={stepNames[1]} description={identity && nameOf(identity)}>
          <Choose
            title="Who uses the numbers"
            noun="identity"
            known={(identities.data?.data ?? []).map((each) => ({ value: each.id, label: nameOf(each) }))}
            onChosen={(id) => go(2, { identity: id })}
            form={(done) => <IdentityForm onSaved={done} />}
          />
        </Stepper.Step>
        <Stepper.Step label={stepNames[2]} description={address?.attributes.city_name}>
          <Choose
            title="Where they are used"
            noun="address"
            known={(addresses.data?.data ?? []).map(({ id, attributes }) => ({
              value: id,
              label: `${attributes.address}, ${attributes.postal_code} ${attributes.city_name}`,
            }))}
            onChosen={(id) => go(3, { address: id })}
            form={(done) => <AddressForm identityId={String(search.identity)} onSaved={done} />}
          />
        </Stepper.Step>
        <Stepper.Step label={stepNames[3]}>
          {identity && address && (
            <DocumentStep
              requirement={requirement}
              identity={identity}
              address={address}
              onetimeFiles={onetimeFiles}
              onOnetimeFile={(id) => change({ onetime: [...onetimeFiles, id].join('.') })}
              next={() => go(4)}
            />
          )}
        </Stepper.Step>
        <Stepper.Step label={stepNames[4]}>
          {identity && address && (
            <Submit
              requirement={requirement}
              identity={identity}
              address={address}
              onetimeFiles={onetimeFiles}
              first={first}
              together={together}
            />
          )}
        </Stepper.Step>
      </Stepper>
    </>
  );
}

interface ChooseProps {
  title: string;
  noun: string;
  known: readonly { value: string; label: string }[];
  onChosen: (id: string) => void;
  form: (done: (id: string) => void) => React.ReactNode;
}

/** One that exists already, or a new one. */
function Choose({ title, noun, known, onChosen, form }: ChooseProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  return (
    <Stack maw={720}>
      {known.length > 0 && (
        <Paper withBorder p="md">
          <Group align="flex-end">
            <Select
              label={title}
              placeholder={`An ${noun} that exists`}
              flex={1}
              data={[...known]}
              value={chosen}
              onChange={setChosen}
            />
            <Button disabled={chosen === null} onClick={() => chosen !== null && onChosen(chosen)}>
              Use this {noun}
            </Button>
          </Group>
        </Paper>
      )}
      <Paper withBorder p="md">
        <Title order={2} size="h5" mb="sm">
          A new {noun}
        </Title>
        {form(onChosen)}
      </Paper>
    </Stack>
  );
}

function IdentityForm({ onSaved }: { onSaved: (id: string) => void }) {
  return (
    <RecordForm<Identity>
      type="identities"
      path="/v3/identities"
      id={null}
      fields={useIdentityFields(true)}
      initial={{ identity_type: 'personal' }}
      links={identityLinks}
      submit="Save identity"
      onSaved={({ id }) => onSaved(id)}
    />
  );
}

export function AddressForm({ identityId, onSaved }: { identityId: string; onSaved: (id: string) => void }) {
  return (
    <RecordForm<Address>
      type="addresses"
      path="/v3/addresses"
      id={null}
      fields={useAddressFields()}
      initial={{}}
      links={{ country: 'countries' }}
      relationships={{ identity: { data: { type: 'identities', id: identityId } } }}
      submit="Save address"
      onSaved={({ id }) => onSaved(id)}
    />
  );
}
