/** SMPP's messages in a stream of bytes. */
import { describe, expect, it } from 'vitest';
import { bindBody, readDelivery, readReceipt, sourceAddress } from './messages.ts';
import { PduReader, SmppProtocolError, writePdu } from './pdu.ts';

describe('the stream', () => {
  const one = writePdu('enquire_link', 1);
  const two = writePdu('bind_transceiver', 2, bindBody({ systemId: 'a', password: 'b', systemType: '' }));

  it('is cut into PDUs wherever it was torn', () => {
    const bytes = Buffer.concat([one, two, one]);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const reader = new PduReader();
      const pdus = [...reader.push(bytes.subarray(0, cut)), ...reader.push(bytes.subarray(cut))];
      expect(pdus.map((pdu) => [pdu.command, pdu.sequence])).toEqual([
        ['enquire_link', 1],
        ['bind_transceiver', 2],
        ['enquire_link', 1],
      ]);
    }
  });

  it.each([[0], [15], [0x10000001]])('with a length of %i is refused', (length) => {
    const bytes = Buffer.alloc(16);
    bytes.writeUInt32BE(length, 0);
    expect(() => new PduReader().push(bytes)).toThrow(SmppProtocolError);
  });
});

describe('a deliver_sm', () => {
  const body = (tail: Buffer) =>
    Buffer.concat([
      Buffer.from('00' + '010131' + '00' + '010132' + '00' + '040000' + '00' + '00' + '0000' + '00' + '00', 'hex'),
      tail,
    ]);

  it('carries its receipt in the optional parameters too', () => {
    const tlvs = Buffer.from('001e0003' + '616200' + '04270001' + '05', 'hex');
    const delivery = readDelivery(body(Buffer.concat([Buffer.from([0]), tlvs])));
    expect(delivery).toMatchObject({ source: '1', destination: '2', esmClass: 4 });
    expect(readReceipt(delivery)).toEqual({ messageId: 'ab', state: 'failed' });
  });

  it('that ends too early is refused', () => {
    expect(() => readDelivery(body(Buffer.from([9, 1, 2])))).toThrow(SmppProtocolError);
    expect(() => readDelivery(Buffer.from('616263'))).toThrow(SmppProtocolError);
  });
});

it.each([
  ['Acme', { ton: 5, npi: 0, digits: 'Acme' }],
  ['12345', { ton: 3, npi: 0, digits: '12345' }],
  ['+4930123456', { ton: 1, npi: 1, digits: '4930123456' }],
])('sender %s is typed', (sender, address) => {
  expect(sourceAddress(sender)).toEqual(address);
});
