/** A button for what cannot be undone: it says what will happen, asks once more, and says there if it did not work. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useAct } from '../api/acts.ts';
import type { Send } from '../api/writer.ts';
import { FormError } from './page.tsx';

interface ConfirmButtonProps<T> {
  label: string;
  /** For screen readers, where a list has many of them. */
  about?: string;
  question: string;
  /** Red, unless what happens can be undone or harms nothing. */
  color?: string;
  act: (send: Send) => Promise<T>;
  onDone?: (answer: T) => unknown;
}

export function ConfirmButton<T>({ label, about, question, color = 'red', act, onDone }: ConfirmButtonProps<T>) {
  const [opened, { open, close }] = useDisclosure(false);
  const work = useAct(act, (answer) => {
    close();
    return onDone?.(answer);
  });
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        color={color}
        aria-label={about}
        onClick={() => {
          work.reset();
          open();
        }}
      >
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={about ?? label}>
        <Stack>
          <Text size="sm">{question}</Text>
          <FormError text={work.error?.message} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Keep it
            </Button>
            <Button color={color} loading={work.isPending} onClick={() => work.mutate()}>
              {label}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
