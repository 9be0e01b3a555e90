# LWP with one agent that keeps its connections.
use strict;
use warnings;
use utf8;
use Digest::MD5 qw(md5_base64);
use Digest::SHA qw(hmac_sha256_base64);
use Encode qw(encode_utf8);
use HTTP::Request::Common qw(POST);
use JSON::PP;
use LWP::UserAgent;
use MIME::Base64 qw(decode_base64url encode_base64);
use URI;
use URI::Escape qw(uri_escape);

binmode STDOUT, ':encoding(UTF-8)';
$| = 1;
my ($api, $client, $numbers) = @ENV{qw(API CLIENT NUMBERS)};
my $json = JSON::PP->new->utf8;
my $agent = LWP::UserAgent->new(keep_alive => 2);

sub say_step {
    my ($step, @words) = @_;
    print "$step: @words\n";
}

sub truth { return $_[0] ? 'true' : 'false' }

sub answer {
    my ($response) = @_;
    my $document = length $response->content ? $json->decode($response->content) : undef;
    return ($response->code, $document, $response);
}

sub call {
    my ($method, $path, %more) = @_;
    my $url = URI->new($path =~ /^http/ ? $path : "$api/v3$path");
    $url->query_form($url->query_form, %{ $more{query} }) if $more{query};
    my @headers = ('Api-Key' => $more{key} // $ENV{KEY}, Accept => 'application/vnd.api+json');
    my $request;
    if ($more{form}) {
        $request = POST($url, @headers, Content_Type => 'form-data', Content => $more{form});
    }
    else {
        $request = HTTP::Request->new($method, $url, \@headers);
    }
    if ($more{data}) {
        $request->content_type('application/vnd.api+json');
        $request->content($json->encode({ data => $more{data} }));
    }
    return answer($agent->request($request));
}

sub get { return (call('GET', @_))[1] }

sub trunk_named {
    my $sip = { username => '{DID}', host => 'sip.example.com', codec_ids => [ 9, 10 ] };
    my $configuration = { type => 'sip_configurations', attributes => $sip };
    return { type => 'voice_in_trunks', attributes => { name => $_[0], configuration => $configuration } };
}

sub platform {
    my $countries = get('/countries', query => { 'filter[iso]' => 'GB' });
    my $country = $countries->{data}[0];
    my $facts = $country->{attributes};
    say_step('country', $facts->{name}, $facts->{prefix}, $countries->{meta}{total_records});

    my %narrow = ('fields[cities]' => 'name,country', 'fields[countries]' => 'iso');
    my $cities = get('/cities', query => { 'filter[name]' => 'Frankfurt am Main', include => 'country', %narrow });
    my $city = $cities->{data}[0]{attributes};
    say_step('city', $city->{name}, $cities->{included}[0]{attributes}{iso}, join(',', keys %$city));

    my $page = get('/cities', query => { 'filter[country.id]' => $country->{id}, 'page[size]' => 20 });
    my $read = @{ $page->{data} };
    while (my $next = $page->{links}{next}) {
        $page = get($next);
        $read += @{ $page->{data} };
    }
    say_step('pages', truth($read == $page->{meta}{total_records}), truth($read > 60));

    my $name = "Zürich + Söhne $client";
    my ($status, $created) = call('POST', '/voice_in_trunks', data => trunk_named($name));
    my $trunk = $created->{data};
    say_step('trunk', $status, truth($trunk->{attributes}{name} eq $name));
    my $found = get('/voice_in_trunks', query => { 'filter[name]' => encode_utf8($name) })->{data};
    say_step('search', scalar @$found, truth($found->[0]{id} eq $trunk->{id}));

    my $did = order($country);
    my $update = sub {
        my %members = @_;
        my $data = { type => 'dids', id => $did->{id}, %members };
        return call('PATCH', "/dids/$did->{id}", query => { include => 'voice_in_trunk' }, data => $data);
    };
    my $link = { voice_in_trunk => { data => { type => 'voice_in_trunks', id => $trunk->{id} } } };
    my $news = { description => 'a+b & ü', capacity_limit => undef };
    ($status, my $patched) = $update->(attributes => $news, relationships => $link);
    my $now = $patched->{data}{attributes};
    my $linked = truth($patched->{included}[0]{id} eq $trunk->{id});
    say_step('patch', $status, $now->{description}, truth(!defined $now->{capacity_limit}), $linked);

    ($status, my $file) = call('POST', '/encrypted_files', form => [
        'encrypted_files[encryption_fingerprint]' => $ENV{FINGERPRINT},
        'encrypted_files[description]' => encode_utf8("Paß $client"),
        'encrypted_files[file]' => [ $ENV{ENCRYPTED_FILE} ],
    ]);
    my $stored = get("/encrypted_files/$file->{data}{id}");
    say_step('upload', $status, truth($stored->{data}{attributes}{description} eq "Paß $client"));

    my $path = "/voice_in_trunks/$trunk->{id}";
    ($status, my $held) = call('DELETE', $path);
    say_step('held', $status, $held->{errors}[0]{code});
    $update->(relationships => { voice_in_trunk => { data => undef } });
    my ($deleted) = call('DELETE', $path);
    my ($gone, $error) = call('GET', $path);
    say_step('delete', $deleted, $gone, $error->{errors}[0]{title});

    ($status, my $refused) = call('POST', '/voice_in_trunks', data => trunk_named(''));
    say_step('refused', $status, $refused->{errors}[0]{source}{pointer}, $refused->{errors}[0]{detail});
    ($status, my $stranger) = call('GET', '/balance', key => 'nobody');
    say_step('stranger', $status, $stranger->{errors}[0]{detail});
}

sub order {
    my ($country) = @_;
    my $groups = get('/did_groups', query => {
        'filter[country.id]' => $country->{id},
        'filter[needs_registration]' => 'false',
        'filter[is_available]' => 'true',
        include => 'stock_keeping_units',
        'page[size]' => 1,
    });
    my ($sku) = grep { $_->{attributes}{channels_included_count} > 0 } @{ $groups->{included} };
    my $item = { type => 'did_order_items', attributes => { sku_id => $sku->{id}, qty => 1 } };
    my ($status, $order) = call('POST', '/orders', data => { type => 'orders', attributes => { items => [$item] } });
    until ($order->{data}{attributes}{status} eq 'completed') {
        select undef, undef, undef, 0.05;
        $order = get("/orders/$order->{data}{id}");
    }
    my $did = get('/dids', query => { 'filter[order.id]' => $order->{data}{id} })->{data}[0];
    my $british = truth($did->{attributes}{number} =~ /^44\d+$/);
    say_step('order', $status, $order->{data}{attributes}{status}, $british);
    return $did;
}

sub credentials {
    my ($mode, $method, $path, $body) = @_;
    my ($key, $secret) = @ENV{qw(APP_KEY APP_SECRET)};
    return (Authorization => 'Basic ' . encode_base64("$key:$secret", '')) if $mode eq 'basic';
    return (Authorization => "Application $key") if $mode eq 'public';
    return (Authorization => "Application $key:forged", 'X-Timestamp' => 1) if $mode eq 'forged';
    my $time = time;
    my ($md5, $type) = defined $body ? (md5_base64($body) . '==', 'application/json') : ('', '');
    my $text = join "\n", $method, $md5, $type, "x-timestamp:$time", $path;
    my $signature = hmac_sha256_base64($text, decode_base64url($secret)) . '=';
    return (Authorization => "Application $key:$signature", 'X-Timestamp' => $time);
}

sub verify {
    my ($mode, $method, $below, $data) = @_;
    my $path = "/api/v1/verifications$below";
    my $body = defined $data ? $json->encode({ data => $data }) : undef;
    my @headers = (Accept => 'application/json', credentials($mode, $method, $path, $body));
    push @headers, 'Content-Type' => 'application/json' if defined $body;
    return answer($agent->request(HTTP::Request->new($method, "$api$path", \@headers, $body)));
}

sub start {
    my ($mode, $number, %more) = @_;
    return verify($mode, 'POST', '', { destination => $number, delivery_method => 'sms', %more });
}

sub report {
    my ($mode, $method, $below, $number) = @_;
    my $url = URI->new("$api/sandbox/v1/messages");
    $url->query_form(destination => substr($number, 1), wait => 30);
    my (undef, $inbox) = answer($agent->get($url, 'Api-Key' => $ENV{KEY}));
    my %data = (delivery_method => 'sms', code => $inbox->{messages}[0]{code});
    return (verify($mode, $method, $below, \%data))[1]{data}{status};
}

sub verification {
    my ($first, $second, $third) = map {"$numbers$_"} 1 .. 3;
    my ($status, $started) = start('basic', $first, sms => { languages => ['de-DE'] });
    my $verified = report('basic', 'PATCH', '/by_number/' . uri_escape($first), $first);
    say_step('basic', $status, $started->{data}{status}, $started->{data}{sms}{language}, $verified);

    ($status, $started) = start('application', $second);
    my $below = "/$started->{data}{id}";
    my $pending = (verify('application', 'GET', $below))[1]{data}{status};
    say_step('application', $status, $pending, report('application', 'PATCH', $below, $second));

    ($status, $started) = start('public', $third);
    $verified = report('public', 'PUT', "/$started->{data}{id}", $third);
    say_step('public', $status, $started->{data}{status}, $verified);

    ($status, my $soon, my $response) = start('basic', $first);
    my $wait = $response->header('Retry-After');
    say_step('cooldown', $status, $soon->{errors}[0]{code}, truth($wait > 0 && $wait <= 30));
    ($status, my $wrong) = start('basic', '12');
    say_step('invalid', $status, $wrong->{errors}[0]{detail});
    ($status, my $unknown) = verify('basic', 'GET', '/8f14e45f-ceea-467f-ab3f-9f2d1c6c0000');
    my ($refused, $stranger) = verify('forged', 'GET', $below);
    say_step('unknown', $status, $unknown->{errors}[0]{code}, $refused, $stranger->{errors}[0]{code});
}

platform();
verification();
