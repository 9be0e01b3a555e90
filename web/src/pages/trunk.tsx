/** The form of a trunk, new or existing. Its texts are the API's own explanations; its errors come from the API. */
import {
  Accordion,
  Button,
  Group,
  MultiSelect,
  NumberInput,
  Paper,
  SegmentedControl,
  Select,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { One, Trunk } from '../api/documents.ts';
import { fieldErrors, useRead, useWrite } from '../api/queries.ts';
import { RouteLink } from '../parts/links.tsx';
import { Failure, FormError, Page, Waiting } from '../parts/page.tsx';
import { attributesOf, blank, codecs, type Fields, fieldsOf } from './trunk-fields.ts';

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
          <Button
            variant="subtle"
            color="red"
            loading={remove.isPending}
            onClick={() => remove.mutate({ method: 'DELETE', path: `/v3/voice_in_trunks/${trunk.id}` })}
          >
            Remove trunk
          </Button>
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
                { value: 'sip', label: 'A SIP host' },
                { value: 'registers', label: 'Registration' },
                { value: 'telephone', label: 'A telephone' },
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
      {trunk !== null && <Registration trunk={trunk} />}
    </Page>
  );
}

interface PartProps {
  fields: Fields;
  set: (changes: Partial<Fields>) => void;
  errors: Readonly<Record<string, string>>;
}

function SipFields({ fields, set, errors }: PartProps) {
  return (
    <>
      {fields.kind === 'registers' ? (
        <Text size="sm" c="dimmed">
          Your equipment registers here with a user name and password that are made when the trunk is saved.
        </Text>
      ) : (
        <Group align="flex-start" wrap="nowrap">
          <TextInput
            label="Host"
            description="The host name or address that calls are sent to."
            flex={1}
            required
            value={fields.host}
            onChange={({ currentTarget }) => set({ host: currentTarget.value })}
            error={errors.host}
          />
          <NumberInput
            label="Port"
            description="Empty: by DNS."
            w={110}
            hideControls
            allowDecimal={false}
            value={fields.port}
            onChange={(port) => set({ port })}
            error={errors.port}
          />
        </Group>
      )}
      <TextInput
        label="User part"
        description="Of the request URI; {DID} stands for the number that was called."
        value={fields.username}
        onChange={({ currentTarget }) => set({ username: currentTarget.value })}
        error={errors.username}
      />
      <Group align="flex-start" grow>
        <Select
          label="Transport"
          description="How SIP is carried."
          data={[
            { value: '1', label: 'UDP' },
            { value: '2', label: 'TCP' },
            { value: '3', label: 'TLS' },
          ]}
          allowDeselect={false}
          value={fields.transport}
          onChange={(transport) => set({ transport: transport ?? '1' })}
          error={errors.transport_protocol_id}
        />
        <MultiSelect
          label="Codecs"
          description="The preferred one first."
          data={[...codecs, ...fields.codecs.filter((id) => !codecs.some(({ value }) => value === id))]}
          value={fields.codecs}
          onChange={(chosen) => set({ codecs: chosen })}
          error={errors.codec_ids}
        />
      </Group>
      <Switch
        label="Authenticate to my SIP server"
        checked={fields.auth}
        onChange={({ currentTarget }) => set({ auth: currentTarget.checked })}
        error={errors.auth_enabled}
      />
      {fields.auth && (
        <Group align="flex-start" grow>
          <TextInput
            label="User name"
            autoComplete="off"
            required
            value={fields.authUser}
            onChange={({ currentTarget }) => set({ authUser: currentTarget.value })}
            error={errors.auth_user}
          />
          <TextInput
            label="Password"
            autoComplete="off"
            required
            value={fields.authPassword}
            onChange={({ currentTarget }) => set({ authPassword: currentTarget.value })}
            error={errors.auth_password}
          />
        </Group>
      )}
    </>
  );
}

function CommonFields({ fields, set, errors }: PartProps) {
  return (
    <Stack>
      <NumberInput
        label="Calls at a time"
        description="The most; empty sets no limit."
        allowDecimal={false}
        value={fields.capacityLimit}
        onChange={(capacityLimit) => set({ capacityLimit })}
        error={errors.capacity_limit}
      />
      <NumberInput
        label="Ringing time"
        description="Seconds it may ring before the call goes on or ends; empty takes the platform’s."
        allowDecimal={false}
        value={fields.ringingTimeout}
        onChange={(ringingTimeout) => set({ ringingTimeout })}
        error={errors.ringing_timeout}
      />
      <Select
        label="Caller id"
        description="How the number of the caller is shown to you."
        data={[
          { value: 'e164', label: 'With the country code' },
          { value: 'local', label: 'As dialled inside the country' },
          { value: 'raw', label: 'As it came' },
        ]}
        allowDeselect={false}
        value={fields.cliFormat}
        onChange={(cliFormat) => set({ cliFormat: cliFormat ?? 'e164' })}
        error={errors.cli_format}
      />
      <TextInput
        label="Caller id prefix"
        description="Put before the number of the caller, such as +."
        value={fields.cliPrefix}
        onChange={({ currentTarget }) => set({ cliPrefix: currentTarget.value })}
        error={errors.cli_prefix}
      />
      <Textarea
        label="Description"
        description="Your own note."
        autosize
        value={fields.description}
        onChange={({ currentTarget }) => set({ description: currentTarget.value })}
        error={errors.description}
      />
    </Stack>
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
