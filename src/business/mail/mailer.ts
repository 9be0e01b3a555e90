/** The way out for e-mails: one SMTP server, by nodemailer. */
import type { Mailer } from '../../engines/environment.ts';

export interface SmtpConfig {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (`smtps://`); otherwise STARTTLS, which only a server on this machine may lack. */
  readonly isTls: boolean;
  readonly user: string | null;
  readonly password: string | null;
  /** The sender's address. */
  readonly from: string;
}

const timeoutMs = 20_000;
const loopback = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

export function smtpMailer({ host, port, isTls, user, password, from }: SmtpConfig): Mailer {
  return {
    send: async ({ attachments = [], ...mail }) => {
      // Loaded with the first e-mail: commands and servers that send none start without it.
      const { createTransport } = await import('nodemailer');
      const transport = createTransport({
        ...{ host, port, secure: isTls, requireTLS: !isTls && !loopback.test(host) },
        ...(user === null ? {} : { auth: { user, pass: password ?? '' } }),
        ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
        ...{ disableFileAccess: true, disableUrlAccess: true },
      });
      try {
        await transport.sendMail({
          ...{ from, ...mail, headers: { 'Auto-Submitted': 'auto-generated' } },
          attachments: attachments.map((file) => ({ ...file, encoding: 'base64' })),
        });
      } finally {
        transport.close();
      }
    },
  };
}
