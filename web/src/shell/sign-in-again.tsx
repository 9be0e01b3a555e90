/**
 * A session that has ended under its page: the person signs in again in place. The page behind is unreadable but stays,
 * with what was typed, and what it could not do is done then.
 */
import { Button, Modal, Stack, Text } from '@mantine/core';
import { useHasEnded } from '../api/ended-session.ts';
import { type Session, signedInAgain, signedOut } from '../api/queries.ts';
import { SignInSteps } from './sign-in-steps.tsx';

export function SignInAgain({ session }: { session: Session }) {
  const hasEnded = useHasEnded();
  return (
    <Modal
      opened={hasEnded}
      // Without a session there is nothing to go back to.
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      // Above a form that is itself in a dialog.
      zIndex={1_000}
      overlayProps={{ blur: 12, backgroundOpacity: 0.8 }}
      size={420}
      title="Your session has ended"
      // Escape would reach the dialog below, which would close and lose what was typed.
      onFocus={({ target }) => target.setAttribute('data-mantine-stop-propagation', 'true')}
    >
      <Stack>
        <Text size="sm">Sign in again to continue. What you typed is still here.</Text>
        {hasEnded && <SignInSteps email={session.login ?? ''} onSignedIn={signedInAgain} />}
        <Button variant="subtle" color="gray" onClick={signedOut} fullWidth>
          Leave this page
        </Button>
      </Stack>
    </Modal>
  );
}
