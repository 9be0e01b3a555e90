<?php
// The curl extension with one handle, which keeps its connection.

declare(strict_types=1);

require __DIR__ . '/scenario.php';

$curl = curl_init();

$send = function (string $method, string $url, ?array $query, array $headers, ?string $body, ?array $form) use ($curl) {
    $received = [];
    $lines = array_map(fn($name, $value) => "$name: $value", array_keys($headers), $headers);
    curl_reset($curl);
    curl_setopt_array($curl, [
        CURLOPT_URL => $query === null ? $url : $url . '?' . http_build_query($query),
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_HTTPHEADER => $lines,
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$received) {
            if (str_contains($line, ':')) {
                [$name, $value] = explode(':', $line, 2);
                $received[strtolower($name)] = trim($value);
            }
            return strlen($line);
        },
    ]);
    if ($body !== null) {
        curl_setopt($curl, CURLOPT_POSTFIELDS, $body);
    }
    if ($form !== null) {
        $form['encrypted_files[file]'] = new CURLFile($form['encrypted_files[file]']);
        curl_setopt($curl, CURLOPT_POSTFIELDS, $form);
    }
    $answer = curl_exec($curl);
    return [curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $received, $answer === '' ? null : json_decode($answer, true)];
};

(new Scenario($send))->run();
