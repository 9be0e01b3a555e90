/** The test vectors of RFC 3711 (appendix B), RFC 6188 (section 7), RFC 7714 (16 and 17), and those of libsrtp. */
import { expect, test } from 'vitest';
import { CounterKeystream } from './counter-keystream.ts';
import { GcmTransform } from './gcm-transform.ts';
import type { MasterKey } from './profiles.ts';
import { sessionKeys } from './session-keys.ts';
import { transformOf } from './transform-of.ts';

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(/\s/g, ''), 'hex');

const master: MasterKey = {
  profile: 'AES_CM_128_HMAC_SHA1_80',
  key: bytes('E1F97A0D3E018BE0D64FA32C06DE4139'),
  salt: bytes('0EC675AD498AFEEBB6960B3AABE6'),
};

test('RFC 3711 B.2: key stream of 128 bits', () => {
  const stream = new CounterKeystream(bytes('2B7E151628AED2A6ABF7158809CF4F3C'), bytes('F0F1F2F3F4F5F6F7F8F9FAFBFCFD'));
  const text = Buffer.alloc(48);
  stream.apply(text, 0, 48, 0, 0);
  expect(text).toEqual(
    bytes('E03EAD0935C95E80E166B16DD92B4EB4 D23513162B02D0F72A43A2FE4A5F97AB 41E95B3BB0A2E8DD477901E4FCA894C0'),
  );
});

test('RFC 6188 7.1: key stream of 256 bits', () => {
  const stream = new CounterKeystream(
    bytes('57f82fe3613fd170a85ec93c40b1f092 2ec4cb0dc025b58272147cc438944a98'),
    bytes('f0f1f2f3f4f5f6f7f8f9fafbfcfd'),
  );
  const text = Buffer.alloc(48);
  stream.apply(text, 0, 48, 0, 0);
  expect(text).toEqual(
    bytes('92bdd28a93c3f52511c677d08b5515a4 9da71b2378a854f67050756ded165bac 63c4868b7096d88421b563b8c94c9a31'),
  );
});

test('RFC 3711 B.3: keys of 128 bits', () => {
  const { cipherKey, salt, authenticationKey } = sessionKeys(master, 'rtp');
  expect(cipherKey).toEqual(bytes('C61E7A93744F39EE10734AFE3FF7A087'));
  expect(salt).toEqual(bytes('30CBBC08863D8C85D49DB34A9AE1'));
  expect(authenticationKey).toEqual(bytes('CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4'));
});

test('RFC 6188 7.2: keys of 256 bits', () => {
  const { cipherKey, salt, authenticationKey } = sessionKeys(
    {
      profile: 'AES_256_CM_HMAC_SHA1_80',
      key: bytes('f0f04914b513f2763a1b1fa130f10e29 98f6f6e43e4309d1e622a0e332b9f1b6'),
      salt: bytes('3b04803de51ee7c96423ab5b78d2'),
    },
    'rtp',
  );
  expect(cipherKey).toEqual(bytes('5ba1064e30ec51613cad926c5a28ef73 1ec7fb397f70a960653caf06554cd8c4'));
  expect(salt).toEqual(bytes('fa31791685ca444a9e07c6c64e93'));
  expect(authenticationKey).toEqual(bytes('fd9c32d39ed5fbb5a9dc96b30818454d1313dc05'));
});

const gcm = [
  {
    key: '000102030405060708090a0b0c0d0e0f',
    rtp: `f24de3a3 fb34de6c acba861c 9d7e4bca be633bd5 0d294e6f 42a5f47a 51c7d19b 36de3adf 8833
      899d 7f27beb1 6a9152cf 765ee439 0cce`,
    rtcp: `63e94885 dcdab67c a727d766 2f6b7e99 7ff5c0f7 6c06f32d c676a5f1 730d6fda 4ce09b46 86303ded
      0bb9275b c84aa458 96cf4d2f c5abf872 45d9eade`,
  },
  {
    key: '000102030405060708090a0b0c0d0e0f 101112131415161718191a1b1c1d1e1f',
    rtp: `32b1de78 a822fe12 ef9f78fa 332e33aa b1801238 9a58e2f3 b50b2a02 76ffae0f 1ba63799 b87b
      7aa3 db36dfff d6b0f9bb 7878d7a7 6c13`,
    rtcp: `d50ae4d1 f5ce5d30 4ba297e4 7d470c28 2c3ece5d bffe0a50 a2eaa5c1 110555be 8415f658 c61de047
      6f1b6fad 1d1eb30c 4446839f 57ff6f6c b26ac3be`,
  },
];

test.each(gcm)('RFC 7714 16 and 17: Galois counter mode with $key', ({ key, rtp, rtcp }) => {
  const keys = { cipherKey: bytes(key), salt: bytes('517569642070726f2071756f'), authenticationKey: Buffer.alloc(0) };
  const transform = new GcmTransform(keys, keys);
  const header = '8040f17b 8041f8d3 5501a0b2';
  const plain = Buffer.concat([bytes(header), Buffer.from('Gallia est omnis divisa in partes tres')]);
  expect(transform.protectRtp(plain, 12, 0xf17b)).toEqual(bytes(header + rtp));
  expect(transform.openRtp(bytes(header + rtp), 12, 0xf17b)).toEqual(plain);

  const control = '81c8000d 4d617273';
  const report = bytes(`${control} 4e545031 4e545032 52545020 0000042a 0000e930 4c756e61 ${'deadbeef'.repeat(5)}`);
  expect(transform.protectRtcp(report, 0x5d4)).toEqual(bytes(`${control} ${rtcp} 800005d4`));
  expect(transform.openRtcp(bytes(`${control} ${rtcp} 800005d4`), 0x5d4)).toEqual(report);
});

test("libsrtp's packets, of RTP and RTCP", () => {
  const plain = bytes(`800f1234 decafbad cafebabe ${'ab'.repeat(16)}`);
  const sealed = bytes('800f1234 decafbad cafebabe 4e55dc4ce79978d88ca4d215949d2402 b78d6acc99ea179b8dbb');
  expect(transformOf(master).protectRtp(plain, 12, 0x1234)).toEqual(sealed);
  const report = bytes(`81c8000b cafebabe ${'ab'.repeat(16)}`);
  const sealedReport = bytes('81c8000b cafebabe 7128035be487b9bdbef89041f977a5a8 80000001 993e08cd54d6c1230798');
  expect(transformOf(master).protectRtcp(report, 1)).toEqual(sealedReport);
});
