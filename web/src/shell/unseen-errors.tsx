/** Why a write failed, where the page itself has no place to say so. */
import { Affix, Alert, Text } from '@mantine/core';
import { setUnseen, useUnseen } from '../parts/first-error.ts';

export function UnseenErrors() {
  const texts = useUnseen();
  if (texts.length === 0) return null;
  return (
    <Affix position={{ bottom: 16, left: 16, right: 16 }} zIndex={900}>
      <Alert
        color="red"
        variant="filled"
        role="alert"
        title="That did not work"
        maw={560}
        mx="auto"
        withCloseButton
        closeButtonLabel="Close"
        onClose={() => setUnseen([])}
      >
        {texts.map((text) => (
          <Text key={text} size="sm">
            {text}
          </Text>
        ))}
      </Alert>
    </Affix>
  );
}
