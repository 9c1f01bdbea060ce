"""By sqlite-utils: python3 with_sqlite_utils.py URL PACKAGES FILE. Prints its requests."""

import sys

import pages
import sqlite_utils

url, packages, file = sys.argv[1:]
db = sqlite_utils.Database(file)
db.enable_wal()
for pkg, records in pages.pages(url, int(packages)):
    db["video"].upsert_all(({"pkg": pkg, **record} for record in records), pk=("pkg", "id"), batch_size=1000)
print(pages.count)
