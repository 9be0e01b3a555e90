#!/bin/bash
# Makes a client from the OpenAPI document of the running server, as users of oazapfts do, checks the types of the
# program against it, and runs the program.
set -euo pipefail
packages="$(cd ../../../node_modules && pwd)"
project="$BUILD/oazapfts"
mkdir -p "$project"
ln -sfn "$packages" "$project/node_modules"
cp typescript/oazapfts.ts typescript/tsconfig.json "$project"
curl --silent --fail "$API/openapi.json" --output "$project/openapi.json"
cd "$project"
echo '{ "type": "module" }' >package.json
"$NODE" "$packages/oazapfts/dist/cli.js" openapi.json api.ts >/dev/null
"$packages/.bin/tsc" --project .
"$NODE" oazapfts.ts
