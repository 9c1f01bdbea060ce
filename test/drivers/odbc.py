"""Reads a file through SQLite ODBC, unixODBC and pyodbc: odbc.py FILE [OPTIONS OF THE CONNECTION STRING]"""
import sys

import pyodbc

from reader import answer_of, serve


class Reader:
    def __init__(self, path, options):
        self.target = "DRIVER=SQLite3;Database=%s;%s" % (path, options)
        self.connection = pyodbc.connect(self.target, autocommit=True)

    def open(self):
        self.connection.close()
        self.connection = pyodbc.connect(self.target, autocommit=True)
        return {}

    def describe(self):
        cursor = self.connection.cursor()
        tables = [(row.table_name, row.table_type.lower()) for row in cursor.tables().fetchall()]
        columns = []
        for name, _ in tables:
            for row in cursor.columns(table=name).fetchall():
                columns.append((name, row.column_name, row.type_name, row.data_type))
        return {"tables": tables, "columns": columns}

    def read(self, table):
        return self.query('select * from "%s"' % table, [])

    def query(self, sql, parameters):
        cursor = self.connection.cursor()
        cursor.execute(sql, *parameters)
        return answer_of([column[0] for column in cursor.description], cursor.fetchall())


serve(Reader(sys.argv[1], "BigInt=1" if len(sys.argv) < 3 else sys.argv[2]))
