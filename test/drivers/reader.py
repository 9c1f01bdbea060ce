"""The protocol of the Python readers: commands are lines on stdin, answers are lines of JSON on stdout.

describe                           tables, and columns with their types, as the driver tells them
read <US> TABLE                    all rows of a table or view, with the types that the driver gives them
query <US> SQL <US> kind:value...  the rows of a statement; kinds of parameters: text, integer, date, timestamp
open                               closes the connection and opens a new one

A line feed in SQL is sent as RS. Integers in answers are decimal strings, so that nothing is rounded.
"""
import datetime
import decimal
import json
import sys


def canonical(value):
    if isinstance(value, (bool, int)):
        return str(int(value))
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ", "auto")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        raise TypeError("a decimal: %r" % value)
    return value


def answer_of(columns, rows):
    return {"columns": list(columns), "rows": [[canonical(value) for value in row] for row in rows]}


def parameter(text):
    kind, _, value = text.partition(":")
    if kind == "integer":
        return int(value)
    if kind == "date":
        return datetime.date.fromisoformat(value)
    if kind == "timestamp":
        return datetime.datetime.fromisoformat(value)
    return value


def serve(reader):
    sys.stdin.reconfigure(encoding="utf-8", newline="\n")
    sys.stdout.reconfigure(encoding="utf-8")
    for line in sys.stdin:
        command, *rest = line.rstrip("\n").replace("\x1e", "\n").split("\x1f")
        try:
            if command == "query":
                answer = reader.query(rest[0], [parameter(each) for each in rest[1:]])
            else:
                answer = getattr(reader, command)(*rest)
        except Exception as error:  # any error: the test shows it
            answer = {"error": "%s: %s" % (type(error).__name__, error)}
        print(json.dumps(answer, ensure_ascii=False), flush=True)
