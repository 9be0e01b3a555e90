/** A button for what cannot be undone: it says what will happen and asks once more. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';

interface ConfirmButtonProps {
  label: string;
  /** For screen readers, where a list has many of them. */
  about?: string;
  question: string;
  /** Red, unless what happens can be undone or harms nothing. */
  color?: string;
  onConfirm: () => void;
}

export function ConfirmButton({ label, about, question, color = 'red', onConfirm }: ConfirmButtonProps) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button size="compact-sm" variant="subtle" color={color} onClick={open} aria-label={about}>
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={about ?? label}>
        <Stack>
          <Text size="sm">{question}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Keep it
            </Button>
            <Button
              color={color}
              onClick={() => {
                close();
                onConfirm();
              }}
            >
              {label}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
