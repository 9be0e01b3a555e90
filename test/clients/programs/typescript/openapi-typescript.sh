#!/bin/bash
# Makes types from the OpenAPI document of the running server, as users of openapi-typescript do, checks the program
# against them, and runs it with openapi-fetch. Its packages have a folder of their own (own-packages.ts), because it
# asks for TypeScript 5 beside itself.
set -euo pipefail
packages="$(cd ../../../node_modules/.cache/trunkline/openapi-typescript/node_modules && pwd)"
project="$BUILD/openapi-typescript"
mkdir -p "$project"
ln -sfn "$packages" "$project/node_modules"
cp typescript/openapi-typescript/scenario.ts typescript/openapi-typescript/tsconfig.json "$project"
curl --silent --fail "$API/openapi.json" --output "$project/openapi.json"
cd "$project"
echo '{ "type": "module" }' >package.json
"$NODE" "$packages/openapi-typescript/bin/cli.js" openapi.json --output api.d.ts --default-non-nullable false >&2
"$NODE" "$packages/typescript/bin/tsc" --project .
"$NODE" scenario.ts
