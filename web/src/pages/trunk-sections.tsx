/** The sections of a trunk's form: where SIP goes, and what every kind of trunk has. */
import { Group, MultiSelect, NumberInput, Select, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { Secret } from '../parts/secret.tsx';
import { codecs, type Fields } from './trunk-fields.ts';

interface PartProps {
  fields: Fields;
  set: (changes: Partial<Fields>) => void;
  errors: Readonly<Record<string, string>>;
}

/** `withPassword` is the id of a trunk that has a password. */
export function SipFields({ fields, set, errors, withPassword }: PartProps & { withPassword: string | null }) {
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
          description="The transport SIP uses."
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
            description={withPassword === null ? undefined : 'Empty: stays as it is.'}
            autoComplete="off"
            required={withPassword === null}
            value={fields.authPassword}
            onChange={({ currentTarget }) => set({ authPassword: currentTarget.value })}
            error={errors.auth_password}
          />
        </Group>
      )}
      {fields.auth && withPassword !== null && (
        <Group gap="xs">
          <Text size="sm">Password now</Text>
          <Secret type="voice_in_trunks" id={withPassword} member="auth_password" />
        </Group>
      )}
    </>
  );
}

/** The fields that are folded away, to unfold them when one of them is invalid. */
export const commonNames = ['capacity_limit', 'ringing_timeout', 'cli_format', 'cli_prefix', 'priority', 'weight'];

export function CommonFields({ fields, set, errors }: PartProps) {
  return (
    <Stack>
      <NumberInput
        label="Calls at a time"
        description="The maximum; leave empty for no limit."
        allowDecimal={false}
        value={fields.capacityLimit}
        onChange={(capacityLimit) => set({ capacityLimit })}
        error={errors.capacity_limit}
      />
      <NumberInput
        label="Ringing time"
        description="Seconds it may ring before the call goes on or ends; leave empty for the default."
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
