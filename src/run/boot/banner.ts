/** What a person sees when Trunkline has started. */

import type { EnvironmentName } from '../../engines/environment.ts';
import type { Demo } from '../../interfaces/bootstrap/demo.ts';
import type { Addresses } from './ready-file.ts';

interface Banner {
  addresses: Addresses;
  demos: Partial<Record<EnvironmentName, Demo>>;
  seconds: number;
}

export function bannerText({ addresses, demos, seconds }: Banner): string {
  const lines = Object.entries(addresses).flatMap(([name, { url, operatorUrl, sip }]) => [
    `  ${name.padEnd(10)}  ${url}`,
    ...(operatorUrl === null || operatorUrl === url ? [] : [`  ${'operator'.padEnd(10)}  ${operatorUrl}`]),
    ...(sip === null ? [] : [`  ${'SIP'.padEnd(10)}  ${sipLine(sip)}`]),
  ]);
  const order: EnvironmentName[] = ['production', 'sandbox'];
  for (const name of order) {
    const demo = demos[name];
    if (demo !== undefined) lines.push('', ...demoLines(name, demo));
  }
  const call = firstCall(addresses, demos);
  if (call !== null) lines.push('', '  Try it:', `  ${call}`);
  return ['', `Trunkline is ready after ${seconds.toFixed(1)} s.`, '', ...lines, '', ''].join('\n');
}

function sipLine({ udp, tcp, tls }: NonNullable<Addresses[EnvironmentName]>['sip'] & {}): string {
  const plain = udp === tcp ? `UDP and TCP ${udp}` : `UDP ${udp}, TCP ${tcp}`;
  return tls === null ? `port ${plain}` : `port ${plain}, TLS ${tls}`;
}

function demoLines(name: EnvironmentName, { file, made }: Demo): string[] {
  const account = made?.accounts[0];
  if (account === undefined) return [`  The demo account of ${name} is in ${file}`];
  const operator = made?.operators[0];
  const application = account.otp_applications[0];
  return [
    `  Demo account of ${name} (kept in ${file}):`,
    ...(account.email && account.password
      ? [`    Panel            ${account.email}`, `    Password         ${account.password}`]
      : []),
    ...(account.api_keys[0] ? [`    API key          ${account.api_keys[0].key}`] : []),
    ...(operator?.password
      ? [`    Operator panel   ${operator.email}`, `    Password         ${operator.password}`]
      : []),
    ...(operator?.api_keys[0] ? [`    Operator key     ${operator.api_keys[0].key}`] : []),
    ...(application ? [`    OTP application  ${application.key}`, `    OTP secret       ${application.secret}`] : []),
  ];
}

/** One line that works as it stands: the sandbox's where there is one, nothing there can cost anything. */
function firstCall(addresses: Addresses, demos: Banner['demos']): string | null {
  for (const name of ['sandbox', 'production'] satisfies EnvironmentName[]) {
    const url = addresses[name]?.url;
    const key = demos[name]?.made?.accounts[0]?.api_keys[0]?.key;
    if (url !== undefined && key !== undefined) return `curl -H 'api-key: ${key}' '${url}/v3/countries'`;
  }
  return null;
}
