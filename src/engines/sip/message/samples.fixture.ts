/** Messages that tests start from, written with \n for readability. */

/** Bytes of a message: line ends become CRLF, and Content-Length fits the body unless the head states one. */
export function wire(head: string, body = ''): Buffer {
  const lines = head.trim().split('\n');
  if (!lines.some((line) => /^(content-length|l)\s*:/i.test(line)))
    lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

export const offer =
  'v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 8\r\n';

const inviteHead = `
INVITE sip:+442012345678@sbc.example.com;user=phone SIP/2.0
Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bKabc;rport
Max-Forwards: 70
From: "Alice" <sip:alice@example.com>;tag=a1
To: <sip:+442012345678@sbc.example.com>
Call-ID: c1@192.0.2.1
CSeq: 1 INVITE
Contact: <sip:alice@192.0.2.1:5060>
Content-Type: application/sdp`;

export const invite = wire(inviteHead, offer);

export const ringing = wire(`
SIP/2.0 180 Ringing
Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bKabc;rport=5060;received=192.0.2.1
From: "Alice" <sip:alice@example.com>;tag=a1
To: <sip:+442012345678@sbc.example.com>;tag=b1
Call-ID: c1@192.0.2.1
CSeq: 1 INVITE
Contact: <sip:sbc.example.com:5060>`);

/** The INVITE above with some lines replaced or removed (null) and others added. */
export function inviteWith(changes: Record<string, string | null>, more: readonly string[] = []): Buffer {
  const lines = inviteHead
    .trim()
    .split('\n')
    .flatMap((line, index) => {
      const name = index === 0 ? 'start' : (line.split(':')[0] ?? '');
      const change = changes[name];
      return change === undefined ? [line] : change === null ? [] : [change];
    });
  return wire([...lines, ...more].join('\n'), offer);
}
