/** An SMTP server on loopback that keeps what it takes; or, told so, refuses it. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { SmtpConfig } from '../../src/business/mail/mailer.ts';

interface MailServer {
  /** How to reach it, with the only user that it lets in. */
  readonly config: SmtpConfig;
  readonly mails: readonly ReceivedMail[];
  /** Whether it refuses every e-mail from now on, with a temporary error. */
  refuse(isRefusing: boolean): void;
  close(): Promise<void>;
}

interface ReceivedMail {
  from: string;
  to: string[];
  /** Header lines and text, as they arrived. */
  content: string;
}

const user = { user: 'trunkline', password: 'smtp password' };

export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  let refuses = false;
  const server = new SMTPServer({
    authOptional: false,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, callback) =>
      username === user.user && password === user.password
        ? callback(null, { user: username })
        : callback(new Error('Invalid login')),
    onData: (stream, { envelope }, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (refuses) return callback(Object.assign(new Error('Mailbox busy'), { responseCode: 450 }));
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({ from, to, content: Buffer.concat(chunks).toString('utf8') });
        return callback();
      });
    },
  });
  server.on('error', () => undefined);
  const { port } = await new Promise<AddressInfo>((resolve) => {
    const listening = server.listen(0, '127.0.0.1', () => resolve(listening.address() as AddressInfo));
  });
  return {
    config: { host: '127.0.0.1', port, isTls: false, ...user, from: 'Trunkline <billing@trunkline.test>' },
    mails,
    refuse: (isRefusing) => {
      refuses = isRefusing;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
