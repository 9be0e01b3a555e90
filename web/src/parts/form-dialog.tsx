/** A button that opens a form in a dialog, and the field in which an operator says why. */
import { Button, type ButtonProps, Group, Modal, Stack, Textarea, TextInput } from '@mantine/core';
import type { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { FormError } from './page.tsx';

interface FormDialogProps {
  /** Whoever sends the form closes it when that has succeeded. */
  dialog: ReturnType<typeof useDisclosure>;
  /** Of the button that opens it. */
  label: string;
  look?: Pick<ButtonProps, 'color' | 'variant' | 'size'>;
  title: string;
  size?: string;
  /** What belongs to none of the fields. */
  error?: string | undefined;
  submit: { label: string; color?: string; isBusy: boolean; isDisabled?: boolean };
  onSubmit: () => void;
  children: ReactNode;
}

export function FormDialog(props: FormDialogProps) {
  const { dialog, label, look, title, size = 'md', error, submit, onSubmit, children } = props;
  const [opened, { open, close }] = dialog;
  return (
    <>
      <Button {...look} onClick={open}>
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={title} size={size}>
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            // Enter in a field sends the form also while its button is disabled.
            if (!submit.isDisabled && !submit.isBusy) onSubmit();
          }}
        >
          <Stack>
            {children}
            <FormError text={error} />
            <Group justify="flex-end">
              <Button
                type="submit"
                {...(submit.color === undefined ? {} : { color: submit.color })}
                loading={submit.isBusy}
                disabled={submit.isDisabled ?? false}
              >
                {submit.label}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}

interface ReasonInputProps {
  value: string;
  onChange: (text: string) => void;
  error?: ReactNode;
  description?: string;
  /** The only field of its dialog: it has the focus, and room for a few lines. */
  isAlone?: boolean;
}

export function ReasonInput(props: ReasonInputProps) {
  const { value, onChange, error, description = 'Kept in the audit log', isAlone = false } = props;
  const common = { label: 'Reason', description, value, error };
  return isAlone ? (
    <Textarea
      {...common}
      data-autofocus
      autosize
      minRows={2}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  ) : (
    <TextInput {...common} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
  );
}
