/** The form of a trunk, new or existing. Its texts are the API's own explanations; its errors come from the API. */
import { Accordion, Button, Group, Paper, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { One, Trunk } from '../api/documents.ts';
import { fieldErrors, useRead, useWrite } from '../api/queries.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { RouteLink } from '../parts/links.tsx';
import { Failure, FormError, Page, Waiting } from '../parts/page.tsx';
import { RouteTestOf } from '../parts/route-test.tsx';
import { TrunkHealthDetails } from '../parts/trunk-health.tsx';
import { attributesOf, blank, type Fields, fieldsOf } from './trunk-fields.ts';
import { CommonFields, SipFields } from './trunk-sections.tsx';

export function NewTrunk() {
  return <TrunkForm trunk={null} />;
}

export function TrunkPage() {
  const { id } = useParams({ from: '/trunks/$id' });
  const read = useRead<One<Trunk>>(`/v3/voice_in_trunks/${encodeURIComponent(id)}`);
  if (read.error) {
    return (
      <Page title="Trunk">
        <Failure error={read.error} />
        <RouteLink to="/trunks">All trunks</RouteLink>
      </Page>
    );
  }
  if (read.data === undefined || read.data.data.id !== id) return <Waiting />;
  return <TrunkForm key={id} trunk={read.data.data} />;
}

function TrunkForm({ trunk }: { trunk: Trunk | null }) {
  const navigate = useNavigate();
  const [fields, setFields] = useState(trunk === null ? blank : fieldsOf(trunk));
  const set = (changes: Partial<Fields>) => setFields((before) => ({ ...before, ...changes }));
  const save = useWrite<One<Trunk>>(() => navigate({ to: '/trunks' }));
  const remove = useWrite(() => navigate({ to: '/trunks' }));
  const errors = { ...fieldErrors(save.error), ...fieldErrors(remove.error) };
  const submit = () =>
    save.mutate({
      method: trunk === null ? 'POST' : 'PATCH',
      path: trunk === null ? '/v3/voice_in_trunks' : `/v3/voice_in_trunks/${trunk.id}`,
      body: {
        data: {
          type: 'voice_in_trunks',
          ...(trunk === null ? {} : { id: trunk.id }),
          attributes: attributesOf(fields),
        },
      },
    });
  return (
    <Page
      title={trunk === null ? 'New trunk' : trunk.attributes.name}
      about="Where inbound calls are sent, and how."
      actions={
        trunk !== null && (
          <ConfirmButton
            label="Remove trunk"
            question="Numbers that ring here ring nowhere until they have another trunk."
            onConfirm={() => remove.mutate({ method: 'DELETE', path: `/v3/voice_in_trunks/${trunk.id}` })}
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
          <FormError text={errors['']} />
          <TextInput
            label="Name"
            description="Used once among trunks and trunk groups."
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
            <SipFields fields={fields} set={set} errors={errors} />
          )}
          <TextInput
            label="Your own note"
            description="Only you see it; lists can be searched for it."
            value={fields.description}
            onChange={({ currentTarget }) => set({ description: currentTarget.value })}
            error={errors.description}
          />
          <Accordion variant="contained">
            <Accordion.Item value="more">
              <Accordion.Control>Limits and caller id</Accordion.Control>
              <Accordion.Panel>
                <CommonFields fields={fields} set={set} errors={errors} />
              </Accordion.Panel>
            </Accordion.Item>
          </Accordion>
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
    </Page>
  );
}

/** The credentials with which equipment registers, once they exist. */
function Registration({ trunk }: { trunk: Trunk }) {
  const { incoming_auth_username: user, incoming_auth_password: password } = trunk.attributes.configuration.attributes;
  if (typeof user !== 'string' || typeof password !== 'string') return null;
  return (
    <Paper withBorder p="md" maw={620}>
      <Text fw={600} size="sm">
        Register with
      </Text>
      <Text size="sm">
        User name <code>{user}</code>, password <code>{password}</code>
      </Text>
    </Paper>
  );
}
