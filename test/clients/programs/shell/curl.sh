# curl in a shell script; a small program reads members of JSON.
set -euo pipefail

json_api='application/vnd.api+json'
member() { "$NODE" -pe "JSON.parse(require('fs').readFileSync(0, 'utf8'))$1"; }
say() { echo "$1: ${*:2}"; }

# Prints the body, and puts the status into a file.
send() { curl -sS -g -o "$work/body" -w '%{http_code}' "$@" > "$work/status"; cat "$work/body"; }
status() { cat "$work/status"; }
call() { send -X "$1" "$API/v3$2" -H "Api-Key: $KEY" -H "Accept: $json_api" "${@:3}"; }
get() { call GET "$1" -G "${@:2}"; }
write() { call "$1" "$2" -H "Content-Type: $json_api" --data-binary "$3"; }
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

countries=$(get /countries --data-urlencode 'filter[iso]=GB')
country=$(member .data[0].id <<< "$countries")
say country "$(member .data[0].attributes.name <<< "$countries")" "$(member .data[0].attributes.prefix <<< "$countries")" \
  "$(member .meta.total_records <<< "$countries")"

cities=$(get /cities --data-urlencode 'filter[name]=Frankfurt am Main' -d include=country \
  --data-urlencode 'fields[cities]=name,country' --data-urlencode 'fields[countries]=iso')
say city "$(member .data[0].attributes.name <<< "$cities")" "$(member .included[0].attributes.iso <<< "$cities")" \
  "$(member '.data.map(({ attributes }) => Object.keys(attributes).join())' <<< "$cities" | tr -d "[]' ")"

read=0
page=$(get /cities -d "filter[country.id]=$country" -d 'page[size]=20')
while :; do
  read=$((read + $(member .data.length <<< "$page")))
  next=$(member '.links.next ?? ""' <<< "$page")
  [ -n "$next" ] || break
  page=$(send "$next" -H "Api-Key: $KEY")
done
say pages "$([ "$read" = "$(member .meta.total_records <<< "$page")" ] && echo true)" "$([ "$read" -gt 60 ] && echo true)"

trunk_named() {
  cat << END
{ "data": { "type": "voice_in_trunks", "attributes": { "name": "$1", "configuration": { "type": "sip_configurations",
  "attributes": { "username": "{DID}", "host": "sip.example.com", "codec_ids": [9, 10] } } } } }
END
}
name="Zürich + Söhne $CLIENT"
created=$(write POST /voice_in_trunks "$(trunk_named "$name")")
trunk=$(member .data.id <<< "$created")
say trunk "$(status)" "$([ "$(member .data.attributes.name <<< "$created")" = "$name" ] && echo true)"
found=$(get /voice_in_trunks --data-urlencode "filter[name]=$name")
say search "$(member .data.length <<< "$found")" "$([ "$(member .data[0].id <<< "$found")" = "$trunk" ] && echo true)"

sku=$(get /did_groups -d "filter[country.id]=$country" -d 'filter[needs_registration]=false' \
  -d 'filter[is_available]=true' -d include=stock_keeping_units -d 'page[size]=1' |
  member '.included.find((sku) => sku.attributes.channels_included_count > 0).id')
order=$(write POST /orders '{ "data": { "type": "orders", "attributes": { "items": [
  { "type": "did_order_items", "attributes": { "sku_id": "'"$sku"'", "qty": 1 } } ] } } }' | member .data.id)
ordered=$(status)
until [ "$(get "/orders/$order" | member .data.attributes.status)" = completed ]; do sleep 0.1; done
did=$(get /dids -d "filter[order.id]=$order")
say order "$ordered" completed "$(member '.data[0].attributes.number.startsWith("44")' <<< "$did")"
did=$(member .data[0].id <<< "$did")

patch() { write PATCH "/dids/$did?include=voice_in_trunk" '{ "data": { "type": "dids", "id": "'"$did"'", '"$1"' } }'; }
patched=$(patch '"attributes": { "description": "a+b & ü", "capacity_limit": null },
  "relationships": { "voice_in_trunk": { "data": { "type": "voice_in_trunks", "id": "'"$trunk"'" } } }')
say patch "$(status)" "$(member .data.attributes.description <<< "$patched")" \
  "$(member '.data.attributes.capacity_limit === null' <<< "$patched")" \
  "$([ "$(member .included[0].id <<< "$patched")" = "$trunk" ] && echo true)"

file=$(call POST /encrypted_files -F "encrypted_files[encryption_fingerprint]=$FINGERPRINT" \
  -F "encrypted_files[description]=Paß $CLIENT" -F "encrypted_files[file]=@$ENCRYPTED_FILE" | member .data.id)
uploaded=$(status)
description=$(get "/encrypted_files/$file" | member .data.attributes.description)
say upload "$uploaded" "$([ "$description" = "Paß $CLIENT" ] && echo true)"

code=$(call DELETE "/voice_in_trunks/$trunk" | member .errors[0].code)
say held "$(status)" "$code"
patch '"relationships": { "voice_in_trunk": { "data": null } }' > "$work/unlinked"
call DELETE "/voice_in_trunks/$trunk"
deleted=$(status)
title=$(get "/voice_in_trunks/$trunk" | member .errors[0].title)
say delete "$deleted" "$(status)" "$title"
refused=$(write POST /voice_in_trunks "$(trunk_named '')")
say refused "$(status)" "$(member .errors[0].source.pointer <<< "$refused")" "$(member .errors[0].detail <<< "$refused")"
detail=$(send "$API/v3/balance" -H 'Api-Key: nobody' | member .errors[0].detail)
say stranger "$(status)" "$detail"

# Bytes in, Base64 out; the key of a signature is the secret's bytes.
secret=$(printf '%s=' "$APP_SECRET" | tr -- -_ +/ | base64 -d | od -An -tx1 | tr -d ' \n')
hmac() { openssl dgst -sha256 -mac HMAC -macopt "hexkey:$secret" -binary | base64; }
credentials() {
  case $1 in
    basic) printf 'Authorization: Basic %s\n' "$(printf '%s:%s' "$APP_KEY" "$APP_SECRET" | base64 -w0)" ;;
    public) printf 'Authorization: Application %s\n' "$APP_KEY" ;;
    forged) printf 'Authorization: Application %s:forged\nx-timestamp: 1\n' "$APP_KEY" ;;
    application)
      local time md5='' type=''
      time=$(date +%s)
      if [ -n "$4" ]; then md5=$(printf '%s' "$4" | openssl dgst -md5 -binary | base64) type=application/json; fi
      printf 'Authorization: Application %s:%s\nx-timestamp: %s\n' "$APP_KEY" \
        "$(printf '%s\n%s\n%s\nx-timestamp:%s\n%s' "$2" "$md5" "$type" "$time" "$3" | hmac)" "$time" ;;
  esac
}
verify() {
  local path="/api/v1/verifications$3" body=()
  [ -z "${4-}" ] || body=(-H 'Content-Type: application/json' --data-binary "$4")
  send -X "$2" "$API$path" -D "$work/headers" -H @<(credentials "$1" "$2" "$path" "${4-}") "${body[@]}"
}
start() { verify "$1" POST '' '{"data":{"destination":"'"$2"'","delivery_method":"sms"'"${3-}"'}}'; }
report() {
  local code
  code=$(curl -sS -G "$API/sandbox/v1/messages" -H "Api-Key: $KEY" -d "destination=${4#+}" -d wait=30 |
    member .messages[0].code)
  verify "$1" "$2" "$3" '{"data":{"delivery_method":"sms","code":"'"$code"'"}}' | member .data.status
}

started=$(start basic "${NUMBERS}1" ',"sms":{"languages":["de-DE"]}')
say basic "$(status)" "$(member .data.status <<< "$started")" "$(member .data.sms.language <<< "$started")" \
  "$(report basic PATCH "/by_number/%2B${NUMBERS#+}1" "${NUMBERS}1")"
below=/$(start application "${NUMBERS}2" | member .data.id)
started=$(status)
say application "$started" "$(verify application GET "$below" | member .data.status)" \
  "$(report application PATCH "$below" "${NUMBERS}2")"
open=$(start public "${NUMBERS}3")
say public "$(status)" "$(member .data.status <<< "$open")" \
  "$(report public PUT "/$(member .data.id <<< "$open")" "${NUMBERS}3")"

code=$(start basic "${NUMBERS}1" | member .errors[0].code)
say cooldown "$(status)" "$code" "$(grep -Eiq '^retry-after: ([1-9]|[12][0-9]|30).$' "$work/headers" && echo true)"
detail=$(start basic 12 | member .errors[0].detail)
say invalid "$(status)" "$detail"
unknown=$(verify basic GET /8f14e45f-ceea-467f-ab3f-9f2d1c6c0000 | member .errors[0].code)
unknown="$(status) $unknown"
code=$(verify forged GET "$below" | member .errors[0].code)
say unknown "$unknown" "$(status)" "$code"
