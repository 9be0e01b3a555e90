# frozen_string_literal: true

# The scenario in Ruby. `client.call` takes a request and returns [status, headers, document].
require 'base64'
require 'digest'
require 'json'
require 'openssl'
require 'erb'

# Steps print what they saw, in one line each.
class Scenario
  JSON_API = 'application/vnd.api+json'

  def initialize(client)
    @client = client
    @api, @key, @name, @numbers = ENV.values_at('API', 'KEY', 'CLIENT', 'NUMBERS')
    @app_key, @app_secret = ENV.values_at('APP_KEY', 'APP_SECRET')
  end

  def run
    country = coverage
    trunk = create_trunk
    did = order(country)
    link(did, trunk)
    upload
    delete(did, trunk)
    refusals
    codes = modes
    verification_refusals(codes)
  end

  private

  def say(step, *words) = puts("#{step}: #{words.join(' ')}")

  def call(method, path, query: nil, data: nil, form: nil, key: @key)
    headers = { 'api-key' => key, 'Accept' => JSON_API }
    headers['Content-Type'] = JSON_API if data
    url = path.start_with?('http') ? path : "#{@api}/v3#{path}"
    body = data && JSON.generate({ data: })
    @client.call(method, url, query:, headers:, body:, form:)
  end

  def get(path, query = nil) = call(:get, path, query:).last

  def coverage
    countries = get('/countries', 'filter[iso]' => 'GB')
    country = countries['data'].first
    say 'country', *country['attributes'].values_at('name', 'prefix'), countries['meta']['total_records']
    cities = get('/cities', 'filter[name]' => 'Frankfurt am Main', 'include' => 'country',
                            'fields[cities]' => 'name,country', 'fields[countries]' => 'iso')
    city = cities['data'].first['attributes']
    say 'city', city['name'], cities['included'].first['attributes']['iso'], city.keys.join(',')
    page = get('/cities', 'filter[country.id]' => country['id'], 'page[size]' => 20)
    read = page['data'].size
    while (following = page['links']['next'])
      page = get(following)
      read += page['data'].size
    end
    say 'pages', read == page['meta']['total_records'], read > 60
    country
  end

  def trunk_named(name)
    sip = { username: '{DID}', host: 'sip.example.com', codec_ids: [9, 10] }
    configuration = { type: 'sip_configurations', attributes: sip }
    { type: 'voice_in_trunks', attributes: { name:, configuration: } }
  end

  def create_trunk
    name = "Zürich + Söhne #{@name}"
    status, _, created = call(:post, '/voice_in_trunks', data: trunk_named(name))
    trunk = created['data']
    say 'trunk', status, trunk['attributes']['name'] == name
    found = get('/voice_in_trunks', 'filter[name]' => name)['data']
    say 'search', found.size, found.first['id'] == trunk['id']
    trunk
  end

  def order(country)
    groups = get('/did_groups', 'filter[country.id]' => country['id'], 'filter[needs_registration]' => false,
                                'filter[is_available]' => true, 'include' => 'stock_keeping_units', 'page[size]' => 1)
    sku = groups['included'].find { |unit| unit['attributes']['channels_included_count'].positive? }
    items = [{ type: 'did_order_items', attributes: { sku_id: sku['id'], qty: 1 } }]
    status, _, document = call(:post, '/orders', data: { type: 'orders', attributes: { items: } })
    until document['data']['attributes']['status'] == 'completed'
      sleep 0.05
      document = get("/orders/#{document['data']['id']}")
    end
    order = document['data']
    did = get('/dids', 'filter[order.id]' => order['id'])['data'].first
    say 'order', status, order['attributes']['status'], did['attributes']['number'].match?(/\A44\d+\z/)
    did
  end

  def update(did, members)
    call(:patch, "/dids/#{did['id']}", query: { 'include' => 'voice_in_trunk' },
                                       data: { type: 'dids', id: did['id'], **members })
  end

  def link(did, trunk)
    data = { type: 'voice_in_trunks', id: trunk['id'] }
    status, _, document = update(did, attributes: { description: 'a+b & ü', capacity_limit: nil },
                                      relationships: { voice_in_trunk: { data: } })
    attributes = document['data']['attributes']
    linked = document['included'].first['id'] == trunk['id']
    say 'patch', status, attributes['description'], attributes['capacity_limit'].nil?, linked
  end

  def upload
    status, _, file = call(:post, '/encrypted_files', form: {
                             'encrypted_files[encryption_fingerprint]' => ENV.fetch('FINGERPRINT'),
                             'encrypted_files[description]' => "Paß #{@name}",
                             'encrypted_files[file]' => File.open(ENV.fetch('ENCRYPTED_FILE'), 'rb')
                           })
    stored = get("/encrypted_files/#{file['data']['id']}")
    say 'upload', status, stored['data']['attributes']['description'] == "Paß #{@name}"
  end

  def delete(did, trunk)
    path = "/voice_in_trunks/#{trunk['id']}"
    status, _, held = call(:delete, path)
    say 'held', status, held['errors'].first['code']
    update(did, relationships: { voice_in_trunk: { data: nil } })
    status, = call(:delete, path)
    gone, _, error = call(:get, path)
    say 'delete', status, gone, error['errors'].first['title']
  end

  def refusals
    status, _, refused = call(:post, '/voice_in_trunks', data: trunk_named(''))
    error = refused['errors'].first
    say 'refused', status, error['source']['pointer'], error['detail']
    status, _, stranger = call(:get, '/balance', key: 'nobody')
    say 'stranger', status, stranger['errors'].first['detail']
  end

  def credentials(mode, method, path, body)
    case mode
    when :basic then { 'Authorization' => "Basic #{Base64.strict_encode64("#{@app_key}:#{@app_secret}")}" }
    when :public then { 'Authorization' => "Application #{@app_key}" }
    when :forged then { 'Authorization' => "Application #{@app_key}:forged", 'x-timestamp' => '1' }
    else
      timestamp = Time.now.to_i.to_s
      md5 = body ? Digest::MD5.base64digest(body) : ''
      text = [method.to_s.upcase, md5, body ? 'application/json' : '', "x-timestamp:#{timestamp}", path].join("\n")
      signature = OpenSSL::HMAC.digest('SHA256', Base64.urlsafe_decode64(@app_secret), text)
      { 'Authorization' => "Application #{@app_key}:#{Base64.strict_encode64(signature)}", 'x-timestamp' => timestamp }
    end
  end

  def verify(mode, method, below = '', data = nil)
    path = "/api/v1/verifications#{below}"
    body = data && JSON.generate({ data: })
    headers = { 'Accept' => 'application/json', **credentials(mode, method, path, body) }
    headers['Content-Type'] = 'application/json' if body
    @client.call(method, @api + path, query: nil, headers:, body:, form: nil)
  end

  def start(mode, number, more = {})
    verify(mode, :post, '', { destination: number, delivery_method: 'sms', **more })
  end

  def report(mode, method, below, number)
    query = { 'destination' => number.delete_prefix('+'), 'wait' => 30 }
    _, _, inbox = @client.call(:get, "#{@api}/sandbox/v1/messages", query:, headers: { 'api-key' => @key },
                                                                    body: nil, form: nil)
    code = inbox['messages'].first['code']
    verify(mode, method, below, { delivery_method: 'sms', code: }).last['data']['status']
  end

  def modes
    first, second, third = %w[1 2 3].map { |digit| @numbers + digit }
    status, _, started = start(:basic, first, sms: { languages: ['de-DE'] })
    verified = report(:basic, :patch, "/by_number/#{ERB::Util.url_encode(first)}", first)
    say 'basic', status, started['data']['status'], started['data']['sms']['language'], verified

    status, _, started = start(:application, second)
    below = "/#{started['data']['id']}"
    pending = verify(:application, :get, below).last['data']['status']
    say 'application', status, pending, report(:application, :patch, below, second)

    status, _, started = start(:public, third)
    say 'public', status, started['data']['status'], report(:public, :put, "/#{started['data']['id']}", third)
    { first:, below: }
  end

  def verification_refusals(codes)
    status, headers, soon = start(:basic, codes[:first])
    say 'cooldown', status, soon['errors'].first['code'], (1..30).cover?(Integer(headers['retry-after']))
    status, _, wrong = start(:basic, '12')
    say 'invalid', status, wrong['errors'].first['detail']
    status, _, unknown = verify(:basic, :get, '/8f14e45f-ceea-467f-ab3f-9f2d1c6c0000')
    refused, _, stranger = verify(:forged, :get, codes[:below])
    say 'unknown', status, unknown['errors'].first['code'], refused, stranger['errors'].first['code']
  end
end
