# Trunkline for a PostgreSQL of your own (DATABASE_URL, SANDBOX_DATABASE_URL): the embedded one is left out. docs/deploy.md.
#
#   docker buildx build --platform linux/amd64,linux/arm64 -t trunkline .
#
# What is built is JavaScript without native parts, so it is built once, on the builder's own platform.
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim

FROM --platform=$BUILDPLATFORM $NODE_IMAGE AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN node scripts/build-package.ts \
  && npm ci --omit=dev --omit=optional --ignore-scripts

FROM $NODE_IMAGE
LABEL org.opencontainers.image.title="Trunkline" org.opencontainers.image.licenses="MIT"
WORKDIR /app
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/package.json /build/LICENSE ./
COPY --from=build /build/bin ./bin
COPY --from=build /build/dist ./dist
# Nothing is written but /data (a generated server key) and what settings name: the root file system may be read-only.
RUN mkdir /data && chown 10001:10001 /data
USER 10001:10001
ENV NODE_ENV=production \
  TRUNKLINE_HOST=0.0.0.0 \
  TRUNKLINE_DATA=/data
VOLUME /data
EXPOSE 8080 8081 5060/udp 5060/tcp
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 CMD ["node", "/app/bin/health.cjs"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--max-semi-space-size=4", "--v8-pool-size=2", "--heap-growing-percent=80", "/app/bin/trunkline.cjs"]
CMD ["serve"]
