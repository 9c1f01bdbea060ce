#!/bin/sh
# The image of PostgreSQL runs this at its first start: a role that loads, one that reads, and the database.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" \
  --set loader="$(cat /run/secrets/postgres_loader)" --set reader="$(cat /run/secrets/postgres_reader)" <<'END'
CREATE ROLE vodhouse LOGIN PASSWORD :'loader';
CREATE ROLE bi_reader LOGIN PASSWORD :'reader';
CREATE DATABASE warehouse OWNER vodhouse;
END
