/** Trunkline as a container: `new TrunklineContainer(GenericContainer, Wait).start()`. */
import { randomBytes } from 'node:crypto';

const port = 8081;
const bootstrapFile = '/etc/trunkline/bootstrap.json';

/** The two classes come from `testcontainers`, so that a suite has one version of it. */
export class TrunklineContainer {
  #container;
  #apiKey = randomBytes(24).toString('base64url');

  constructor({ GenericContainer, Wait }, image = 'trunkline:embedded') {
    const account = { name: 'Tests', balance: '1000.00', api_keys: [{ name: 'tests', key: this.#apiKey }] };
    this.#container = new GenericContainer(image)
      .withExposedPorts(port)
      .withEnvironment({
        TRUNKLINE_HOST: '0.0.0.0',
        TRUNKLINE_PORT: 'off',
        TRUNKLINE_SANDBOX_PORT: String(port),
        TRUNKLINE_SANDBOX_SIP_PORT: 'off',
        TRUNKLINE_BOOTSTRAP: bootstrapFile,
      })
      .withCopyContentToContainer([
        { content: JSON.stringify({ sandbox: { accounts: [account] } }), target: bootstrapFile },
      ])
      .withWaitStrategy(Wait.forHttp('/readyz', port));
  }

  /** Further settings of the server. */
  withEnvironment(variables) {
    this.#container = this.#container.withEnvironment(variables);
    return this;
  }

  async start() {
    const started = await this.#container.start();
    const url = `http://${started.getHost()}:${started.getMappedPort(port)}`;
    return {
      url,
      apiKey: this.#apiKey,
      /** For `@trunkline/test` and other processes. */
      variables: { TRUNKLINE_URL: url, TRUNKLINE_API_KEY: this.#apiKey },
      stop: () => started.stop(),
    };
  }
}
