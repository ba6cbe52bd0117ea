# passkey serve in a container: docker build --tag passkey . (docs/ci.md)
FROM node:24-alpine AS build
WORKDIR /source
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# What is packed for npm is all that is needed to run.
RUN npm run build \
 && npm pack --ignore-scripts --pack-destination /tmp \
 && mkdir /package \
 && tar -xzf /tmp/passkey-cli-*.tgz -C /package --strip-components=1

FROM node:24-alpine
COPY --from=build /package /opt/passkey
RUN ln -s /opt/passkey/bin/passkey.js /usr/local/bin/passkey \
 && mkdir -m 700 /data \
 && chown node:node /data
ENV NODE_ENV=production \
    PASSKEY_HOST=0.0.0.0 \
    PASSKEY_STORE=/data/passkeys.jsonl \
    PASSKEY_CREDENTIALS=/data/credentials.json \
    PASSKEY_OPEN=false
WORKDIR /data
VOLUME /data
USER node
EXPOSE 7277
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://localhost:${process.env.PASSKEY_PORT || 7277}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["passkey"]
CMD ["serve"]
