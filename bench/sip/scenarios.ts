/**
 * The call that is measured: INVITE – 180 – 50 ms – 200 – ACK – talk – BYE – 200, with a session description as a PBX
 * sends it. A 503 is counted and no failure: it is how an overloaded element refuses.
 */

const description = (port: number) => `v=0
      o=bench 1 1 IN IP4 [local_ip]
      s=-
      c=IN IP4 [local_ip]
      t=0 0
      m=audio ${port} RTP/AVP 8 0 101
      a=rtpmap:8 PCMA/8000
      a=rtpmap:0 PCMU/8000
      a=rtpmap:101 telephone-event/8000
      a=fmtp:101 0-15
      a=sendrecv`;

const scenario = (name: string, steps: string): string => `<?xml version="1.0" encoding="UTF-8" ?>
<!DOCTYPE scenario SYSTEM "sipp.dtd">
<scenario name="${name}">
${steps}
</scenario>
`;

const inDialog = (method: string, sequence: number, branch: string): string => `
      ${method} [next_url] SIP/2.0
      Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=${branch}
      [routes]
      From: <sip:447700900001@[local_ip]:[local_port]>;tag=[pid]caller[call_number]
      To: <sip:[field0]@[remote_ip]:[remote_port]>[peer_tag_param]
      Call-ID: [call_id]
      CSeq: ${sequence} ${method}
      Max-Forwards: 70
      Content-Length: 0
`;

export const callerScenario = scenario(
  'caller',
  `  <send retrans="500" start_rtd="1"><![CDATA[
      INVITE sip:[field0]@[remote_ip]:[remote_port] SIP/2.0
      Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
      From: <sip:447700900001@[local_ip]:[local_port]>;tag=[pid]caller[call_number]
      To: <sip:[field0]@[remote_ip]:[remote_port]>
      Call-ID: [call_id]
      CSeq: 1 INVITE
      Contact: <sip:447700900001@[local_ip]:[local_port]>
      Max-Forwards: 70
      Content-Type: application/sdp
      Content-Length: [len]

      ${description(40_000)}
  ]]></send>
  <recv response="100" optional="true"/>
  <recv response="180" optional="true"/>
  <recv response="503" optional="true" next="refused" counter="1"/>
  <recv response="200" rtd="1" rrs="true"/>
  <send><![CDATA[${inDialog('ACK', 1, '[branch]')}
  ]]></send>
  <pause/>
  <send retrans="500"><![CDATA[${inDialog('BYE', 2, '[branch]')}
  ]]></send>
  <recv response="200" next="over"/>
  <label id="refused"/>
  <send><![CDATA[
      ACK sip:[field0]@[remote_ip]:[remote_port] SIP/2.0
      Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch-4]
      From: <sip:447700900001@[local_ip]:[local_port]>;tag=[pid]caller[call_number]
      To: <sip:[field0]@[remote_ip]:[remote_port]>[peer_tag_param]
      Call-ID: [call_id]
      CSeq: 1 ACK
      Max-Forwards: 70
      Content-Length: 0
  ]]></send>
  <label id="over"/>`,
);

const reply = (status: string, body: string): string => `
      SIP/2.0 ${status}
      [last_Via:]
      [last_Record-Route:]
      [last_From:]
      [last_To:];tag=[pid]callee[call_number]
      [last_Call-ID:]
      [last_CSeq:]
      Contact: <sip:[local_ip]:[local_port]>
${body}`;

export const calleeScenario = scenario(
  'callee',
  `  <recv request="INVITE"/>
  <send><![CDATA[${reply('180 Ringing', '      Content-Length: 0\n')}
  ]]></send>
  <pause milliseconds="50"/>
  <send retrans="500"><![CDATA[${reply(
    '200 OK',
    `      Content-Type: application/sdp
      Content-Length: [len]

      ${description(40_002)}`,
  )}
  ]]></send>
  <recv request="ACK"/>
  <recv request="BYE"/>
  <send><![CDATA[
      SIP/2.0 200 OK
      [last_Via:]
      [last_From:]
      [last_To:]
      [last_Call-ID:]
      [last_CSeq:]
      Content-Length: 0
  ]]></send>`,
);
