# !/bin/sh
# Writes the images that compose.yaml and the Dockerfiles name into .env by digest, as the registry has them now; docker
# compose reads that file. Run it again to take newer ones, and keep .env with your configuration: docs/deploy.md.
set -eu
cd "$(dirname "$0")/.."

pin() {
  digest=$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$2")
  case $digest in
    sha256:*) ;;
    *) echo "The registry names no digest for $2: $digest" >&2 && exit 1 ;;
  esac
  touch .env
  sed "/^$1=/d" .env >.env.pinned
  echo "$1=$2@$digest" >>.env.pinned
  mv .env.pinned .env
}

pin NODE_IMAGE node:24-bookworm-slim
pin DEBIAN_IMAGE debian:bookworm-slim
pin POSTGRES_IMAGE postgres:18
pin PROMETHEUS_IMAGE prom/prometheus:v3.7.3
pin GRAFANA_IMAGE grafana/grafana:12.3.0
