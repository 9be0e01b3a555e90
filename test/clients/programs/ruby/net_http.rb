# frozen_string_literal: true

# Net::HTTP of the standard library, with one connection that is kept open.
require 'net/http'
require_relative 'scenario'

# What the scenario calls.
class NetHttpClient
  def initialize(api)
    uri = URI(api)
    @http = Net::HTTP.start(uri.hostname, uri.port)
  end

  def call(method, url, query:, headers:, body:, form:)
    uri = URI(url)
    uri.query = URI.encode_www_form(query) if query
    request = Net::HTTP.const_get(method.capitalize).new(uri, headers)
    request.body = body
    request.set_form(form.to_a, 'multipart/form-data') if form
    response = @http.request(request)
    [response.code.to_i, response, response.body.to_s.empty? ? nil : JSON.parse(response.body)]
  end
end

Scenario.new(NetHttpClient.new(ENV.fetch('API'))).run
