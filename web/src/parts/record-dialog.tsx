/** A button that opens the form of a record in a dialog, which closes when the record is saved. */
import { Button, type ButtonProps, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ComponentProps, ReactNode } from 'react';
import type { FormRoute, SavedOf } from '../api/routes.ts';
import { RecordForm } from './record-form.tsx';

type RecordDialogProps<R extends FormRoute> = Omit<ComponentProps<typeof RecordForm<R>>, 'onSaved'> & {
  /** Of the button. */
  label: string;
  look?: Pick<ButtonProps, 'color' | 'variant' | 'size'>;
  /** For screen readers, where a list has many of them. */
  aria?: string;
  title: string;
  size?: string;
  about?: ReactNode;
  onSaved?: (record: SavedOf<R>) => void;
};

export function RecordDialog<R extends FormRoute>(props: RecordDialogProps<R>) {
  const { label, look, aria, title, size = 'md', about, onSaved, ...form } = props;
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button {...look} {...(aria === undefined ? {} : { 'aria-label': aria })} onClick={open}>
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={title} size={size}>
        <Stack>
          {about !== undefined && <Text size="sm">{about}</Text>}
          {opened && (
            <RecordForm<R>
              {...form}
              onSaved={(record) => {
                close();
                onSaved?.(record);
              }}
            />
          )}
        </Stack>
      </Modal>
    </>
  );
}
