<?php
// Guzzle with its default handler.

declare(strict_types=1);

require 'GuzzleHttp/autoload.php';
require __DIR__ . '/scenario.php';

$client = new GuzzleHttp\Client(['http_errors' => false]);

$send = function (string $method, string $url, ?array $query, array $headers, ?string $body, ?array $form) use ($client) {
    $options = array_filter(compact('query', 'headers', 'body'), fn($option) => $option !== null);
    if ($form !== null) {
        $file = $form['encrypted_files[file]'];
        $form['encrypted_files[file]'] = fopen($file, 'rb');
        $names = array_keys($form);
        $options['multipart'] = array_map(fn($name) => ['name' => $name, 'contents' => $form[$name]], $names);
    }
    $response = $client->request($method, $url, $options);
    $received = ['retry-after' => $response->getHeaderLine('Retry-After')];
    return [$response->getStatusCode(), $received, json_decode((string) $response->getBody(), true)];
};

(new Scenario($send))->run();
