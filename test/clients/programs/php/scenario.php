<?php
// The scenario in PHP. $send is the HTTP client: it takes a request and returns [status, headers, document].

declare(strict_types=1);

const JSON_API = 'application/vnd.api+json';

function say(string $step, ...$words): void
{
    $texts = array_map(fn($word) => is_bool($word) ? ($word ? 'true' : 'false') : (string) $word, $words);
    echo $step, ': ', implode(' ', $texts), "\n";
}

final class Scenario
{
    private string $api;
    private string $client;
    private string $numbers;

    /** @param callable(string, string, ?array, array, ?string, ?array): array $send */
    public function __construct(private $send)
    {
        [$this->api, $this->client, $this->numbers] = [getenv('API'), getenv('CLIENT'), getenv('NUMBERS')];
    }

    public function run(): void
    {
        $country = $this->coverage();
        $trunk = $this->trunk();
        $did = $this->order($country);
        $this->link($did, $trunk);
        $this->upload();
        $this->delete($did, $trunk);
        $this->verifications();
    }

    private function call(
        string $method,
        string $path,
        ?array $query = null,
        ?array $data = null,
        ?array $form = null,
        ?string $key = null,
    ): array {
        $headers = ['Api-Key' => $key ?? getenv('KEY'), 'Accept' => JSON_API];
        if ($data !== null) {
            $headers['Content-Type'] = JSON_API;
        }
        $url = str_starts_with($path, 'http') ? $path : "{$this->api}/v3$path";
        $body = $data === null ? null : json_encode(['data' => $data]);
        return ($this->send)($method, $url, $query, $headers, $body, $form);
    }

    private function get(string $path, ?array $query = null): array
    {
        return $this->call('GET', $path, $query)[2];
    }

    private function coverage(): array
    {
        $countries = $this->get('/countries', ['filter' => ['iso' => 'GB']]);
        $country = $countries['data'][0];
        $attributes = $country['attributes'];
        say('country', $attributes['name'], $attributes['prefix'], $countries['meta']['total_records']);
        $cities = $this->get('/cities', [
            'filter' => ['name' => 'Frankfurt am Main'],
            'include' => 'country',
            'fields' => ['cities' => 'name,country', 'countries' => 'iso'],
        ]);
        $city = $cities['data'][0]['attributes'];
        say('city', $city['name'], $cities['included'][0]['attributes']['iso'], implode(',', array_keys($city)));
        $query = ['filter' => ['country.id' => $country['id']], 'page' => ['size' => 20]];
        $page = $this->get('/cities', $query);
        $read = count($page['data']);
        while (isset($page['links']['next'])) {
            $page = $this->get($page['links']['next']);
            $read += count($page['data']);
        }
        say('pages', $read === $page['meta']['total_records'], $read > 60);
        return $country;
    }

    private function trunkNamed(string $name): array
    {
        $sip = ['username' => '{DID}', 'host' => 'sip.example.com', 'codec_ids' => [9, 10]];
        $configuration = ['type' => 'sip_configurations', 'attributes' => $sip];
        return ['type' => 'voice_in_trunks', 'attributes' => ['name' => $name, 'configuration' => $configuration]];
    }

    private function trunk(): array
    {
        $name = "Zürich + Söhne {$this->client}";
        [$status, , $created] = $this->call('POST', '/voice_in_trunks', data: $this->trunkNamed($name));
        $trunk = $created['data'];
        say('trunk', $status, $trunk['attributes']['name'] === $name);
        $found = $this->get('/voice_in_trunks', ['filter' => ['name' => $name]])['data'];
        say('search', count($found), $found[0]['id'] === $trunk['id']);
        return $trunk;
    }

    private function order(array $country): array
    {
        $filter = ['country.id' => $country['id'], 'needs_registration' => 'false', 'is_available' => 'true'];
        $query = ['filter' => $filter, 'include' => 'stock_keeping_units', 'page' => ['size' => 1]];
        $units = $this->get('/did_groups', $query)['included'];
        $fitting = array_filter($units, fn($unit) => $unit['attributes']['channels_included_count'] > 0);
        $item = ['type' => 'did_order_items', 'attributes' => ['sku_id' => reset($fitting)['id'], 'qty' => 1]];
        $data = ['type' => 'orders', 'attributes' => ['items' => [$item]]];
        [$status, , $document] = $this->call('POST', '/orders', data: $data);
        $order = $document['data'];
        while ($order['attributes']['status'] !== 'completed') {
            usleep(50_000);
            $order = $this->get("/orders/{$order['id']}")['data'];
        }
        $did = $this->get('/dids', ['filter' => ['order.id' => $order['id']]])['data'][0];
        $isBritish = preg_match('/^44\d+$/', $did['attributes']['number']) === 1;
        say('order', $status, $order['attributes']['status'], $isBritish);
        return $did;
    }

    private function update(array $did, array $members): array
    {
        $data = ['type' => 'dids', 'id' => $did['id']] + $members;
        return $this->call('PATCH', "/dids/{$did['id']}", ['include' => 'voice_in_trunk'], $data);
    }

    private function link(array $did, array $trunk): void
    {
        [$status, , $document] = $this->update($did, [
            'attributes' => ['description' => 'a+b & ü', 'capacity_limit' => null],
            'relationships' => ['voice_in_trunk' => ['data' => ['type' => 'voice_in_trunks', 'id' => $trunk['id']]]],
        ]);
        $attributes = $document['data']['attributes'];
        $isLinked = $document['included'][0]['id'] === $trunk['id'];
        say('patch', $status, $attributes['description'], $attributes['capacity_limit'] === null, $isLinked);
    }

    private function upload(): void
    {
        [$status, , $file] = $this->call('POST', '/encrypted_files', form: [
            'encrypted_files[encryption_fingerprint]' => getenv('FINGERPRINT'),
            'encrypted_files[description]' => "Paß {$this->client}",
            'encrypted_files[file]' => getenv('ENCRYPTED_FILE'),
        ]);
        $stored = $this->get("/encrypted_files/{$file['data']['id']}")['data'];
        say('upload', $status, $stored['attributes']['description'] === "Paß {$this->client}");
    }

    private function delete(array $did, array $trunk): void
    {
        $path = "/voice_in_trunks/{$trunk['id']}";
        [$status, , $held] = $this->call('DELETE', $path);
        say('held', $status, $held['errors'][0]['code']);
        $this->update($did, ['relationships' => ['voice_in_trunk' => ['data' => null]]]);
        [$deleted] = $this->call('DELETE', $path);
        [$gone, , $error] = $this->call('GET', $path);
        say('delete', $deleted, $gone, $error['errors'][0]['title']);
        [$status, , $refused] = $this->call('POST', '/voice_in_trunks', data: $this->trunkNamed(''));
        say('refused', $status, $refused['errors'][0]['source']['pointer'], $refused['errors'][0]['detail']);
        [$status, , $stranger] = $this->call('GET', '/balance', key: 'nobody');
        say('stranger', $status, $stranger['errors'][0]['detail']);
    }

    private function credentials(string $mode, string $method, string $path, ?string $body): array
    {
        [$key, $secret] = [getenv('APP_KEY'), getenv('APP_SECRET')];
        switch ($mode) {
            case 'basic':
                return ['Authorization' => 'Basic ' . base64_encode("$key:$secret")];
            case 'public':
                return ['Authorization' => "Application $key"];
            case 'forged':
                return ['Authorization' => "Application $key:forged", 'x-timestamp' => '1'];
        }
        $timestamp = (string) time();
        $md5 = $body === null ? '' : base64_encode(md5($body, true));
        $type = $body === null ? '' : 'application/json';
        $text = implode("\n", [$method, $md5, $type, "x-timestamp:$timestamp", $path]);
        $bytes = base64_decode(strtr($secret, '-_', '+/'));
        $signature = base64_encode(hash_hmac('sha256', $text, $bytes, true));
        return ['Authorization' => "Application $key:$signature", 'x-timestamp' => $timestamp];
    }

    private function verify(string $mode, string $method, string $below = '', ?array $data = null): array
    {
        $path = "/api/v1/verifications$below";
        $body = $data === null ? null : json_encode(['data' => $data]);
        $headers = ['Accept' => 'application/json'] + $this->credentials($mode, $method, $path, $body);
        if ($body !== null) {
            $headers['Content-Type'] = 'application/json';
        }
        return ($this->send)($method, $this->api . $path, null, $headers, $body, null);
    }

    private function start(string $mode, string $number, array $more = []): array
    {
        return $this->verify($mode, 'POST', '', ['destination' => $number, 'delivery_method' => 'sms'] + $more);
    }

    private function report(string $mode, string $method, string $below, string $number): string
    {
        $query = ['destination' => ltrim($number, '+'), 'wait' => 30];
        $url = "{$this->api}/sandbox/v1/messages";
        [, , $inbox] = ($this->send)('GET', $url, $query, ['api-key' => getenv('KEY')], null, null);
        $data = ['delivery_method' => 'sms', 'code' => $inbox['messages'][0]['code']];
        return $this->verify($mode, $method, $below, $data)[2]['data']['status'];
    }

    private function verifications(): void
    {
        [$first, $second, $third] = array_map(fn($digit) => $this->numbers . $digit, ['1', '2', '3']);
        [$status, , $started] = $this->start('basic', $first, ['sms' => ['languages' => ['de-DE']]]);
        $verified = $this->report('basic', 'PATCH', '/by_number/' . rawurlencode($first), $first);
        say('basic', $status, $started['data']['status'], $started['data']['sms']['language'], $verified);

        [$status, , $started] = $this->start('application', $second);
        $below = "/{$started['data']['id']}";
        $pending = $this->verify('application', 'GET', $below)[2]['data']['status'];
        say('application', $status, $pending, $this->report('application', 'PATCH', $below, $second));

        [$status, , $started] = $this->start('public', $third);
        $verified = $this->report('public', 'PUT', "/{$started['data']['id']}", $third);
        say('public', $status, $started['data']['status'], $verified);

        [$status, $headers, $soon] = $this->start('basic', $first);
        $isSoon = (int) $headers['retry-after'] > 0 && (int) $headers['retry-after'] <= 30;
        say('cooldown', $status, $soon['errors'][0]['code'], $isSoon);
        [$status, , $wrong] = $this->start('basic', '12');
        say('invalid', $status, $wrong['errors'][0]['detail']);
        [$status, , $unknown] = $this->verify('basic', 'GET', '/8f14e45f-ceea-467f-ab3f-9f2d1c6c0000');
        [$refused, , $stranger] = $this->verify('forged', 'GET', $below);
        say('unknown', $status, $unknown['errors'][0]['code'], $refused, $stranger['errors'][0]['code']);
    }
}
