/** Who is signed in decides what is shown: signing in, a customer's pages, or an operator's. */
import { Navigate, useLocation } from '@tanstack/react-router';
import { createElement, type FunctionComponent } from 'react';
import { customerSections } from '../../../src/interfaces/panel/pages/customers.ts';
import { linkedPages } from '../../../src/interfaces/panel/pages/linked.ts';
import { operatorSections } from '../../../src/interfaces/panel/pages/operators.ts';
import type { PageSection } from '../../../src/interfaces/panel/pages/page-section.ts';
import { useLiveEvents } from '../api/live.ts';
import { type Session, useSession, whoIs } from '../api/queries.ts';
import { OperatorPalette } from '../operator/operator-palette.tsx';
import { Failure, Waiting } from '../parts/page.tsx';
import { ActingBanner } from './acting-banner.tsx';
import { Bell } from './bell.tsx';
import { CommandPalette } from './command-palette.tsx';
import { ConfirmEmail } from './confirm-email.tsx';
import { ConfirmIdentity } from './confirm-identity.tsx';
import { Frame } from './frame.tsx';
import { SetPassword } from './set-password.tsx';
import { SignIn } from './sign-in.tsx';
import { SignInAgain } from './sign-in-again.tsx';

const linkedComponents: Record<(typeof linkedPages)[number]['component'], FunctionComponent> = {
  SetPassword,
  ConfirmEmail,
};

export function Shell() {
  const session = useSession();
  const { pathname } = useLocation();
  // Links work whoever is signed in.
  const linked = linkedPages.find(({ path }) => path === pathname);
  if (linked !== undefined) return createElement(linkedComponents[linked.component]);
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

const customers: readonly PageSection[] = customerSections;
const operators: readonly PageSection[] = operatorSections;

const loginPages = customers.flatMap(({ pages }) => pages.filter(({ isAboutLogin }) => isAboutLogin));
const isLoginPage = (pathname: string) =>
  loginPages.some(({ path }) => pathname === path || pathname.startsWith(`${path}/`));

function SignedIn({ session }: { session: Session }) {
  const { pathname } = useLocation();
  useLiveEvents(whoIs(session), session.events_after);
  const isOperators = /^\/operator(\/|$)/.test(pathname);
  // Customers have no operator's pages, and an operator who acts as nobody has only those and the ones about the login.
  if (session.operator === null && isOperators) return <Navigate to="/" replace />;
  if (session.account === null && !isOperators && !isLoginPage(pathname)) return <Navigate to="/operator" replace />;
  const { operator } = session;
  if (operator !== null && (isOperators || isLoginPage(pathname))) {
    const shown = operators.filter(({ role }) => role === undefined || role === operator.role);
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
  const shown = customers.filter(({ sandboxOnly }) => !sandboxOnly || session.environment === 'sandbox');
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
