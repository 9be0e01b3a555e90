/**
 * The steps of signing in, on the page for it and in the dialog of a session that has ended: password, code, new
 * password.
 */

import { Anchor, Button, Divider, Group, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAct } from '../api/acts.ts';
import { hasPasskeys, signInWithPasskey } from '../api/passkeys.ts';
import type { Session } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { FormError } from '../parts/page.tsx';
import { explain } from './explain-sign-in.ts';
import { ForgottenPassword } from './forgotten-password.tsx';

/** What is asked for: the password, the code after it, or a link for a new password. */
type Step = { name: 'password' } | { name: 'code'; token: string } | { name: 'forgotten'; email: string };
export type StepName = Step['name'];

export const about: Readonly<Record<StepName, string>> = {
  password: 'Sign in to continue',
  code: 'One more step',
  forgotten: 'A new password',
};

interface SignInStepsProps {
  /** Who is expected to sign in; empty for anybody. */
  email?: string;
  onStep?: (name: StepName) => void;
  onSignedIn: (session: Session) => void;
}

export function SignInSteps({ email = '', onStep, onSignedIn }: SignInStepsProps) {
  const [step, setStep] = useState<Step>({ name: 'password' });
  const go = (next: Step) => {
    setStep(next);
    onStep?.(next.name);
  };
  const start = () => go({ name: 'password' });
  switch (step.name) {
    case 'code':
      return <CodeStep token={step.token} onSignedIn={onSignedIn} onBack={start} />;
    case 'forgotten':
      return <ForgottenPassword email={step.email} onBack={start} />;
    default:
      return (
        <PasswordStep
          initial={email}
          onSignedIn={onSignedIn}
          onCode={(token) => go({ name: 'code', token })}
          onForgotten={(typed) => go({ name: 'forgotten', email: typed })}
        />
      );
  }
}

interface PasswordStepProps {
  initial: string;
  onSignedIn: (session: Session) => void;
  onCode: (token: string) => void;
  /** With the e-mail address that was typed so far. */
  onForgotten: (email: string) => void;
}

function PasswordStep({ initial, onSignedIn, onCode, onForgotten }: PasswordStepProps) {
  const [email, setEmail] = useState(initial);
  const [password, setPassword] = useState('');
  const signIn = useAct(
    (send) => send('POST', pathWith('/panel/v1/session'), { email, password }),
    (answer) => (answer.kind === 'second_factor' ? onCode(answer.token) : onSignedIn(answer)),
  );
  const passkey = useAct(signInWithPasskey, onSignedIn);
  const error = signIn.error ?? passkey.error;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate();
      }}
    >
      <Stack>
        <TextInput
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username"
          required
          withAsterisk={false}
          value={email}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          data-autofocus={initial !== '' || undefined}
          required
          withAsterisk={false}
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': 'Show what is typed' }}
        />
        <Group justify="flex-end" mt={-8}>
          <Anchor component="button" type="button" size="sm" onClick={() => onForgotten(email)}>
            Forgotten your password?
          </Anchor>
        </Group>
        <FormError text={error ? explain(error) : undefined} />
        <Button type="submit" loading={signIn.isPending} fullWidth>
          Sign in
        </Button>
        {hasPasskeys() && (
          <>
            <Divider label="or" labelPosition="center" />
            <Button variant="default" loading={passkey.isPending} onClick={() => passkey.mutate()} fullWidth>
              Use a passkey
            </Button>
          </>
        )}
      </Stack>
    </form>
  );
}

interface CodeStepProps {
  token: string;
  onSignedIn: (session: Session) => void;
  onBack: () => void;
}

function CodeStep({ token, onSignedIn, onBack }: CodeStepProps) {
  const [code, setCode] = useState('');
  const confirm = useAct((send) => send('POST', pathWith('/panel/v1/session/code'), { token, code }), onSignedIn);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        confirm.mutate();
      }}
    >
      <Stack>
        <TextInput
          label="Code"
          description="Of your authenticator app, or a recovery code"
          autoComplete="one-time-code"
          autoFocus
          required
          withAsterisk={false}
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
        />
        <FormError text={confirm.error ? explain(confirm.error) : undefined} />
        <Button type="submit" loading={confirm.isPending} fullWidth>
          Continue
        </Button>
        <Button variant="subtle" onClick={onBack} fullWidth>
          Back
        </Button>
      </Stack>
    </form>
  );
}
