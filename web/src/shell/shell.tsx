/** Who is signed in decides what is shown: signing in, a customer's pages, or an operator's. */
import { Navigate, useLocation } from '@tanstack/react-router';
import { useLiveEvents } from '../api/live.ts';
import { type Session, useSession, whoIs } from '../api/queries.ts';
import { operatorSections } from '../operator/navigation.ts';
import { OperatorPalette } from '../operator/operator-palette.tsx';
import { Failure, Waiting } from '../parts/page.tsx';
import { ActingBanner } from './acting-banner.tsx';
import { Bell } from './bell.tsx';
import { CommandPalette } from './command-palette.tsx';
import { ConfirmEmail } from './confirm-email.tsx';
import { ConfirmIdentity } from './confirm-identity.tsx';
import { Frame } from './frame.tsx';
import { sections } from './navigation.ts';
import { SetPassword } from './set-password.tsx';
import { SignIn } from './sign-in.tsx';
import { SignInAgain } from './sign-in-again.tsx';

export function Shell() {
  const session = useSession();
  const { pathname } = useLocation();
  // Links work whoever is signed in.
  if (pathname === '/password') return <SetPassword />;
  if (pathname === '/email') return <ConfirmEmail />;
  // Who was signed in stays so while the server restarts: a form on the page is not lost.
  if (session.data === undefined) {
    return session.error ? <Failure error={session.error} retry={() => session.refetch()} /> : <Waiting />;
  }
  if (session.data === null) return <SignIn />;
  return (
    <>
      <SignedIn key={whoIs(session.data)} session={session.data} />
      <ConfirmIdentity session={session.data} />
      <SignInAgain session={session.data} />
    </>
  );
}

/** Pages about one's own login, which everybody has. */
const aboutLogin = /^\/(sessions|login)(\/|$)/;

function SignedIn({ session }: { session: Session }) {
  const { pathname } = useLocation();
  useLiveEvents(whoIs(session), session.events_after);
  const isOperators = /^\/operator(\/|$)/.test(pathname);
  // Customers have no operator's pages, and an operator who acts as nobody has only those and the ones about the login.
  if (session.operator === null && isOperators) return <Navigate to="/" replace />;
  if (session.account === null && !isOperators && !aboutLogin.test(pathname))
    return <Navigate to="/operator" replace />;
  const { operator } = session;
  if (operator !== null && (isOperators || aboutLogin.test(pathname))) {
    const shown = operatorSections.filter(({ roles }) => roles === undefined || roles.includes(operator.role));
    return (
      <Frame
        session={session}
        sections={shown}
        banner={session.account !== null && <ActingBanner account={session.account} />}
        palette={<OperatorPalette pages={shown.flatMap(({ pages }) => pages)} />}
        reference="/operator/docs"
      />
    );
  }
  const shown = sections.filter(({ sandboxOnly }) => !sandboxOnly || session.environment === 'sandbox');
  return (
    <Frame
      session={session}
      sections={shown}
      banner={operator !== null && session.account !== null && <ActingBanner account={session.account} />}
      tools={<Bell />}
      palette={<CommandPalette pages={shown.flatMap(({ pages }) => pages)} />}
      reference="/docs"
    />
  );
}
