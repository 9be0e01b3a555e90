#!/bin/sh
# Makes the secrets of compose.yaml in ./secrets, once: what exists stays. Keep server-key as safe as the backups.
set -eu
cd "$(dirname "$0")/.."
umask 077
mkdir -p secrets
# Readable for the container's user: a file of accounts to create goes here (docs/deploy.md).
mkdir -p secrets/bootstrap
chmod 755 secrets/bootstrap

# Readable for the user of the container, who is not the owner of the folder: the folder keeps others out.
make() {
  [ -e "secrets/$1" ] && return
  printf '%s' "$2" >"secrets/$1"
  chmod 444 "secrets/$1"
}

make postgres-password "$(openssl rand -hex 24)"
password=$(cat secrets/postgres-password)
make database-url "postgres://trunkline:$password@postgres:5432/trunkline_production"
make sandbox-database-url "postgres://trunkline:$password@postgres:5432/trunkline_sandbox"
make server-key "$(openssl rand -base64 32)"
make grafana-password "$(openssl rand -hex 12)"
