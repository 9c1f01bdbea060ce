# An image of vodhouse, from a checkout: docker build --tag vodhouse .
# The root file system may be read-only; it writes to /var/lib/vodhouse, and to /tmp.

FROM node:24-bookworm-slim AS build
WORKDIR /opt/vodhouse
COPY package.json package-lock.json ./
RUN npm install --ignore-scripts --no-audit --no-fund
COPY LICENSE README.md CHANGELOG.md esbuild.config.js ./
COPY assets assets
COPY bin bin
COPY drizzle drizzle
COPY src src
RUN npm run build \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf src esbuild.config.js node_modules/better-sqlite3/deps node_modules/better-sqlite3/src \
  && find node_modules/better-sqlite3/prebuilds -type f ! -name 'linux-*' -delete

FROM node:24-bookworm-slim
RUN rm -rf /usr/local/lib/node_modules /usr/local/include /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn* /usr/local/bin/yarn* \
  && install -d -o 1000 -g 1000 -m 750 /var/lib/vodhouse \
  && ln -s /opt/vodhouse/bin/vodhouse.js /usr/local/bin/vodhouse
COPY --from=build /opt/vodhouse /opt/vodhouse
# SQLite sorts large tables in files: on the volume, not in the memory of a tmpfs.
ENV NODE_ENV=production SQLITE_TMPDIR=/var/lib/vodhouse
# A third less memory for a run, at the same speed.
ENV NODE_OPTIONS=--max-semi-space-size=4
# A number: Kubernetes cannot tell that a name is not root.
USER 1000:1000
# The folder of the config: vodhouse.yaml is the default of --config.
WORKDIR /etc/vodhouse
VOLUME /var/lib/vodhouse
EXPOSE 8320
STOPSIGNAL SIGTERM
# 200 while the server and its worker are alive; the config has `server: { host: 0.0.0.0, keys: […] }`.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10m --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8320/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["vodhouse"]
CMD ["start", "--log-format", "json"]
