"""Prints how SQLAlchemy reads a schema of PostgreSQL: alchemy.py URL SCHEMA. Types of all columns; values of one day and one video."""
import json
import sys

import sqlalchemy

url, schema = sys.argv[1:]
engine = sqlalchemy.create_engine(url.replace("postgres://", "postgresql+psycopg2://"))
look = sqlalchemy.inspect(engine)
names = look.get_table_names(schema=schema) + look.get_view_names(schema=schema)


def type_of(column):
    kind = column["type"]
    return str(kind) + (" with time zone" if getattr(kind, "timezone", False) else "")


def rows_of(connection, name):
    table = sqlalchemy.Table(name, sqlalchemy.MetaData(), schema=schema, autoload_with=engine)
    found = connection.execute(sqlalchemy.select(table)).fetchall()
    return [{key: [type(value).__name__, str(value)] for key, value in row._mapping.items()} for row in found]


types = {name: {column["name"]: type_of(column) for column in look.get_columns(name, schema=schema)} for name in names}
with engine.connect() as connection:
    connection.execute(sqlalchemy.text("set time zone 'UTC'"))
    print(json.dumps({"types": types, "videos": rows_of(connection, "videos"), "storage_daily": rows_of(connection, "storage_daily")}))
