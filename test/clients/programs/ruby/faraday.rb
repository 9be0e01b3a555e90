# frozen_string_literal: true

# Faraday with its usual adapter, and its multipart middleware for forms.
require 'faraday'
require_relative 'scenario'

# What the scenario calls.
class FaradayClient
  def initialize
    @plain = Faraday.new
    @forms = Faraday.new do |connection|
      connection.request :multipart
      connection.adapter Faraday.default_adapter
    end
  end

  def call(method, url, query:, headers:, body:, form:)
    body = form.transform_values { |value| part(value) } if form
    response = (form ? @forms : @plain).run_request(method, url, body, headers) do |request|
      request.params.update(query) if query
    end
    [response.status, response.headers, response.body.to_s.empty? ? nil : JSON.parse(response.body)]
  end

  private

  def part(value)
    value.is_a?(File) ? Faraday::FilePart.new(value, 'application/octet-stream') : value
  end
end

Scenario.new(FaradayClient.new).run
