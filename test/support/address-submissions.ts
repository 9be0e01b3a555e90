/** Submits address verifications as a customer of a test server, and decides them as the sandbox lets customers do. */
import { nameBasedId } from '../../src/business/catalogue/ids.ts';
import { checkedFetch } from './checked-fetch.ts';
import { document, link } from './paperwork.ts';
import type { TestServer } from './server.ts';

export const berlinRequirement = link('address_requirements', nameBasedId('address_requirements', 'DE', 'Local'));

export class AddressSubmissions {
  readonly #server: TestServer;

  constructor(server: TestServer) {
    this.#server = server;
  }

  submit(address: string, dids: string[], attributes: object = {}, links: object = {}, client = this.#server.client) {
    const numbers = dids.map((id) => link('dids', id));
    return client.post(
      '/address_verifications?include=dids,address',
      document(
        'address_verifications',
        { ...attributes },
        { address: link('addresses', address), dids: numbers, ...links },
      ),
    );
  }

  decide(id: string, body: object, key = this.#server.key) {
    return checkedFetch(`${this.#server.url}/sandbox/v1/address_verifications/${id}/decision`, {
      method: 'POST',
      headers: { 'api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /** The newest callback, as it waits to be sent. */
  async lastDelivery() {
    const { rows } = await this.#server.env.pool.query(
      'select url, method, payload, sealed_signing_key from deliveries order by created_at desc, id desc limit 1',
    );
    return rows[0];
  }
}
