"""A plain loop: python3 loop.py URL PACKAGES FILE. Prints its requests."""

import sqlite3
import sys

import pages

url, packages, file = sys.argv[1:]
db = sqlite3.connect(file)
db.execute("pragma journal_mode = wal")
statement = None
for pkg, records in pages.pages(url, int(packages)):
    if not records:
        continue
    if statement is None:
        names = list(records[0])
        db.execute(f"create table if not exists video (pkg, {', '.join(names)}, primary key (pkg, id))")
        updates = ", ".join(f"{name} = excluded.{name}" for name in names)
        statement = (
            f"insert into video values (?, {', '.join('?' for _ in names)}) "
            f"on conflict (pkg, id) do update set {updates}"
        )
    with db:
        db.executemany(statement, ([pkg, *record.values()] for record in records))
print(pages.count)
