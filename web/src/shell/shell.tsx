/** Who is signed in decides what is shown: signing in, a customer's pages, or an operator's. */
import { Navigate, useLocation } from '@tanstack/react-router';
import { useLiveEvents } from '../api/live.ts';
import { type Session, useSession } from '../api/queries.ts';
import { operatorSections } from '../operator/navigation.ts';
import { OperatorPalette } from '../operator/operator-palette.tsx';
import { Failure, Waiting } from '../parts/page.tsx';
import { ActingBanner } from './acting-banner.tsx';
import { Bell } from './bell.tsx';
import { CommandPalette } from './command-palette.tsx';
import { Frame } from './frame.tsx';
import { sections } from './navigation.ts';
import { SetPassword } from './set-password.tsx';
import { SignIn } from './sign-in.tsx';

export function Shell() {
  const session = useSession();
  const { pathname } = useLocation();
  // A link for a new password works whoever is signed in.
  if (pathname === '/password') return <SetPassword />;
  if (session.isPending) return <Waiting />;
  if (session.error) return <Failure error={session.error} retry={() => session.refetch()} />;
  if (session.data === null || session.data === undefined) return <SignIn />;
  return <SignedIn session={session.data} />;
}

/** Pages about one's own login, which everybody has. */
const aboutLogin = /^\/(sessions|login)(\/|$)/;

function SignedIn({ session }: { session: Session }) {
  const { pathname } = useLocation();
  useLiveEvents(`${session.login} ${session.account?.id}`);
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
