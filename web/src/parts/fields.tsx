/** Forms as declarations: each field says what it is called, what it means and which kind of input it has. */
import { MultiSelect, NumberInput, Select, Stack, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { RecordMultiSelect, RecordSelect, type Source } from './picker.tsx';

export type FieldValue = string | number | boolean | string[] | null;
export type FieldValues = Readonly<Record<string, FieldValue>>;

export interface Field {
  name: string;
  label: string;
  about?: string;
  kind?:
    | 'text'
    | 'area'
    | 'number'
    | 'decimal'
    | 'switch'
    | 'select'
    | 'several'
    | 'words'
    | 'date'
    | 'datetime'
    | 'password';
  options?: readonly { value: string; label: string }[];
  /** Instead of options: records of which there may be any number. */
  source?: Source;
  /** Of a field that some values of others make necessary, a function of them. */
  required?: boolean | ((values: FieldValues) => boolean);
  /** Left out of the form, and of what is sent, unless this holds. */
  when?: (values: FieldValues) => boolean;
}

/** The options of a field, from what is stored to what is shown. */
export const optionsOf = (choices: Readonly<Record<string, string>>) =>
  Object.entries(choices).map(([value, label]) => ({ value, label }));

interface FieldsProps {
  fields: readonly Field[];
  values: FieldValues;
  errors: Readonly<Record<string, string>>;
  set: (name: string, value: FieldValue) => void;
}

export function Fields({ fields, values, errors, set }: FieldsProps) {
  return (
    <Stack>
      {fields
        .filter(({ when }) => when === undefined || when(values))
        .map((field) => (
          <Input
            key={field.name}
            field={field}
            value={values[field.name] ?? null}
            error={errors[field.name]}
            required={typeof field.required === 'function' ? field.required(values) : (field.required ?? false)}
            set={(value) => set(field.name, value)}
          />
        ))}
    </Stack>
  );
}

interface InputProps {
  field: Field;
  value: FieldValue;
  error: string | undefined;
  required: boolean;
  set: (value: FieldValue) => void;
}

const text = (value: FieldValue): string => (typeof value === 'string' ? value : '');
const words = (value: FieldValue): string[] => (Array.isArray(value) ? value : []);

function Input({ field, value, error, required, set }: InputProps) {
  const { kind = 'text', label, about, options = [], source } = field;
  const common = { label, description: about, error, required, withAsterisk: required };
  const data = options.map((option) => ({ ...option }));
  switch (kind) {
    case 'area':
      return (
        <Textarea
          {...common}
          autosize
          minRows={2}
          value={text(value)}
          onChange={({ currentTarget }) => set(currentTarget.value)}
        />
      );
    case 'number':
    case 'decimal':
      return (
        <NumberInput
          {...common}
          allowDecimal={kind === 'decimal'}
          value={typeof value === 'number' ? value : ''}
          onChange={set}
        />
      );
    case 'switch':
      return (
        <Switch
          label={label}
          description={about}
          error={error}
          checked={value === true}
          onChange={({ currentTarget }) => set(currentTarget.checked)}
        />
      );
    case 'select':
      if (source !== undefined) {
        return (
          <RecordSelect
            {...common}
            source={source}
            clearable={!required}
            allowDeselect={!required}
            value={text(value) || null}
            onChange={set}
          />
        );
      }
      return (
        <Select
          {...common}
          data={data}
          searchable={data.length > 8}
          clearable={!required}
          allowDeselect={!required}
          value={text(value) || null}
          onChange={set}
        />
      );
    case 'several':
      return source === undefined ? (
        <MultiSelect {...common} data={data} searchable value={words(value)} onChange={set} />
      ) : (
        <RecordMultiSelect {...common} source={source} value={words(value)} onChange={set} />
      );
    case 'words':
      return <TagsInput {...common} acceptValueOnBlur value={words(value)} onChange={set} />;
    default:
      return (
        <TextInput
          {...common}
          type={kind === 'datetime' ? 'datetime-local' : kind}
          autoComplete="off"
          value={text(value)}
          onChange={({ currentTarget }) => set(currentTarget.value)}
        />
      );
  }
}

/** What the fields that are shown say, as attributes: an empty field is null. */
export function attributesOf(fields: readonly Field[], values: FieldValues): Record<string, FieldValue> {
  return Object.fromEntries(
    fields
      .filter(({ when }) => when === undefined || when(values))
      .map(({ name, kind }) => {
        const value = values[name] ?? null;
        if (kind === 'switch') return [name, value === true];
        if (kind === 'words' || kind === 'several') return [name, words(value)];
        return [name, value === '' ? null : typeof value === 'string' ? value.trim() : value];
      }),
  );
}

/** What was filled in; for a new record, whose empty fields have defaults. */
export const withoutEmpty = (attributes: Readonly<Record<string, FieldValue>>): Record<string, FieldValue> =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== null));
