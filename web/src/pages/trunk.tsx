/** The form of a trunk, new or existing. Its texts are the API's own explanations; its errors come from the API. */

import { Accordion, Button, Group, Paper, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import type { Trunk } from '../api/documents.ts';
import { fieldErrors } from '../api/problems.ts';
import { pathWith } from '../api/routes.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { Fields as FieldList } from '../parts/fields.tsx';
import { RouteLink } from '../parts/links.tsx';
import { FormError, Page } from '../parts/page.tsx';
import { RecordPage } from '../parts/record-page.tsx';
import { RouteTestOf } from '../parts/route-test.tsx';
import { Secret } from '../parts/secret.tsx';
import { TrunkHealthDetails } from '../parts/trunk-health.tsx';
import { TrunkSound } from '../parts/trunk-sound.tsx';
import { attributesOf, blank, type Fields, fieldsOf, sipOf } from './trunk-fields.ts';
import { trunkMediaFields, trunkMediaNames } from './trunk-media.ts';
import { CommonFields, commonNames, SipFields } from './trunk-sections.tsx';

export function NewTrunk() {
  return <TrunkForm trunk={null} />;
}

export function TrunkPage() {
  const { id } = useParams({ from: '/trunks/$id' });
  return (
    <RecordPage
      noun="Trunk"
      id={id}
      path={pathWith('/v3/voice_in_trunks/{id}', { id })}
      list={{ to: '/trunks', label: 'All trunks' }}
    >
      {({ data }) => <TrunkForm key={id} trunk={data} />}
    </RecordPage>
  );
}

function TrunkForm({ trunk }: { trunk: Trunk | null }) {
  const navigate = useNavigate();
  const [fields, setFields] = useState(trunk === null ? blank : fieldsOf(trunk));
  const set = (changes: Partial<Fields>) => setFields((before) => ({ ...before, ...changes }));
  const save = useWrite<'POST /v3/voice_in_trunks' | 'PATCH /v3/voice_in_trunks/{id}'>(() =>
    navigate({ to: '/trunks' }),
  );
  const errors = fieldErrors(save.error);
  const [unfolded, setUnfolded] = useState<string[]>([]);
  const withErrors = Object.entries({ more: commonNames, media: trunkMediaNames })
    .filter(([, names]) => names.some((name) => errors[name] !== undefined))
    .map(([section]) => section);
  const submit = () =>
    save.mutate(
      trunk === null
        ? {
            method: 'POST',
            path: pathWith('/v3/voice_in_trunks'),
            body: { data: { type: 'voice_in_trunks', attributes: attributesOf(fields) } },
          }
        : {
            method: 'PATCH',
            path: pathWith('/v3/voice_in_trunks/{id}', { id: trunk.id }),
            body: { data: { type: 'voice_in_trunks', id: trunk.id, attributes: attributesOf(fields) } },
          },
    );
  return (
    <Page
      title={trunk === null ? 'New trunk' : trunk.attributes.name}
      about="Where inbound calls are sent, and how."
      actions={
        trunk !== null && (
          <ConfirmButton
            label="Remove trunk"
            question="Numbers that ring here ring nowhere until they have another trunk."
            act={(send) => send('DELETE', pathWith('/v3/voice_in_trunks/{id}', { id: trunk.id }))}
            onDone={() => navigate({ to: '/trunks' })}
          />
        )
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
        noValidate
      >
        <Stack maw={620}>
          <TextInput
            label="Name"
            description="Must be unique among trunks and trunk groups."
            required
            value={fields.name}
            onChange={({ currentTarget }) => set({ name: currentTarget.value })}
            error={errors.name}
          />
          <div>
            <Text size="sm" fw={500} id="kind">
              Calls go to
            </Text>
            <SegmentedControl
              aria-labelledby="kind"
              fullWidth
              mt={4}
              value={fields.kind}
              onChange={(kind) => set({ kind: kind === 'registers' || kind === 'telephone' ? kind : 'sip' })}
              data={[
                { value: 'sip', label: 'SIP host' },
                { value: 'registers', label: 'Registration' },
                { value: 'telephone', label: 'Telephone' },
              ]}
            />
          </div>
          {fields.kind === 'telephone' ? (
            <TextInput
              label="Telephone number"
              description="With its country code. Forwarded calls are charged by the minute."
              inputMode="tel"
              required
              value={fields.dst}
              onChange={({ currentTarget }) => set({ dst: currentTarget.value })}
              error={errors.dst}
            />
          ) : (
            <SipFields fields={fields} set={set} errors={errors} withPassword={idWithPassword(trunk)} />
          )}
          <TextInput
            label="Your own note"
            description="Only you see it; lists can be searched for it."
            value={fields.description}
            onChange={({ currentTarget }) => set({ description: currentTarget.value })}
            error={errors.description}
          />
          <Accordion
            multiple
            variant="contained"
            value={[...new Set([...unfolded, ...withErrors])]}
            onChange={setUnfolded}
          >
            {fields.kind !== 'telephone' && (
              <Accordion.Item value="media">
                <Accordion.Control>Media and key presses</Accordion.Control>
                <Accordion.Panel>
                  <FieldList
                    fields={trunkMediaFields}
                    values={fields.media}
                    errors={errors}
                    set={(name, value) => set({ media: { ...fields.media, [name]: value } })}
                  />
                </Accordion.Panel>
              </Accordion.Item>
            )}
            <Accordion.Item value="more">
              <Accordion.Control>Limits and caller id</Accordion.Control>
              <Accordion.Panel>
                <CommonFields fields={fields} set={set} errors={errors} />
              </Accordion.Panel>
            </Accordion.Item>
          </Accordion>
          <FormError text={errors['']} />
          <Group justify="flex-end">
            <RouteLink to="/trunks">Cancel</RouteLink>
            <Button type="submit" loading={save.isPending}>
              {trunk === null ? 'Add trunk' : 'Save trunk'}
            </Button>
          </Group>
        </Stack>
      </form>
      {trunk !== null && <RouteTestOf link="voice_in_trunk" id={trunk.id} />}
      {trunk !== null && <Registration trunk={trunk} />}
      {trunk?.attributes.configuration.type === 'sip_configurations' && <TrunkHealthDetails id={trunk.id} />}
      {trunk !== null && <TrunkSound id={trunk.id} direction="in" />}
    </Page>
  );
}

const idWithPassword = (trunk: Trunk | null): string | null =>
  trunk !== null && sipOf(trunk)?.auth_enabled === true ? trunk.id : null;

/** The credentials with which equipment registers, once they exist. */
function Registration({ trunk }: { trunk: Trunk }) {
  const user = sipOf(trunk)?.incoming_auth_username;
  if (typeof user !== 'string') return null;
  return (
    <Paper withBorder p="md" maw={620}>
      <Text fw={600} size="sm">
        Register with
      </Text>
      <Group gap="xs">
        <Text size="sm">
          User name <code>{user}</code>, password
        </Text>
        <Secret type="voice_in_trunks" id={trunk.id} member="incoming_auth_password" />
      </Group>
    </Paper>
  );
}
