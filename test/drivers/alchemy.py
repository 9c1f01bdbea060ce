"""Reads a file through SQLAlchemy, and with `frame` through pandas: alchemy.py FILE"""
import sys

import pandas
import sqlalchemy
from sqlalchemy.pool import NullPool

from reader import answer_of, serve


class Reader:
    def __init__(self, path):
        self.engine = sqlalchemy.create_engine("sqlite:///file:%s?mode=ro&uri=true" % path, poolclass=NullPool)
        self.connection = self.engine.connect()

    def open(self):
        self.connection.close()
        self.connection = self.engine.connect()
        return {}

    def describe(self):
        look = sqlalchemy.inspect(self.engine)
        tables = [(name, "table") for name in look.get_table_names()]
        tables += [(name, "view") for name in look.get_view_names()]
        columns = [
            (name, column["name"], str(column["type"]), None)
            for name, _ in tables
            for column in look.get_columns(name)
        ]
        return {"tables": tables, "columns": columns}

    def read(self, name):
        table = self.reflect(name)
        return self.rows(self.connection.execute(sqlalchemy.select(table)))

    def query(self, sql, parameters):
        """The parameters of the statement are :p1, :p2, ..."""
        named = {"p%d" % (place + 1): value for place, value in enumerate(parameters)}
        return self.rows(self.connection.execute(sqlalchemy.text(sql), named))

    def between(self, name, column, first, last):
        """Rows of a reflected table by its own types: SQLAlchemy chooses how the dates are written."""
        from reader import parameter

        table = self.reflect(name)
        bounds = parameter(first), parameter(last)
        return self.rows(self.connection.execute(sqlalchemy.select(table).where(table.c[column].between(*bounds))))

    def frame(self, sql, dates, *parameters):
        """The types of the columns of a data frame, and its rows as text."""
        from reader import parameter

        named = {"p%d" % (place + 1): parameter(each) for place, each in enumerate(parameters)}
        frame = pandas.read_sql(
            sqlalchemy.text(sql), self.connection, params=named, parse_dates=[name for name in dates.split(",") if name]
        )
        rows = [[str(value) for value in row] for row in frame.itertuples(index=False)]
        return {"columns": list(frame.columns), "types": [str(kind) for kind in frame.dtypes], "rows": rows}

    def reflect(self, name):
        return sqlalchemy.Table(name, sqlalchemy.MetaData(), autoload_with=self.engine)

    def rows(self, result):
        return answer_of(result.keys(), result.fetchall())


serve(Reader(sys.argv[1]))
