import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.*;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads a file through xerial JDBC: Jdbc URL. Commands and answers are those of reader.py; the parameters
 * of a statement are ?. A TIMESTAMP is read by getTimestamp, and must be equal to the result of getString.
 */
public class Jdbc {
  static Connection connection;

  public static void main(String[] arguments) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    connection = DriverManager.getConnection(arguments[0]);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] fields = line.replace('\u001e', '\n').split("\u001f", -1);
      String answer;
      try {
        answer = answer(fields, arguments[0]);
      } catch (Exception error) {
        answer = "{\"error\":" + text(error.toString()) + "}";
      }
      out.println(answer);
    }
  }

  static String answer(String[] fields, String url) throws Exception {
    switch (fields[0]) {
      case "describe":
        return describe();
      case "read":
        return query("select * from \"" + fields[1] + "\"", new String[0]);
      case "query":
        return query(fields[1], Arrays.copyOfRange(fields, 2, fields.length));
      case "date":
        return date(fields[1]);
      case "open":
        connection.close();
        connection = DriverManager.getConnection(url);
        return "{}";
      default:
        throw new IllegalArgumentException(fields[0]);
    }
  }

  static String describe() throws SQLException {
    DatabaseMetaData data = connection.getMetaData();
    List<String> names = new ArrayList<>();
    List<String> tables = new ArrayList<>();
    try (ResultSet found = data.getTables(null, null, "%", new String[] {"TABLE", "VIEW"})) {
      while (found.next()) {
        names.add(found.getString("TABLE_NAME"));
        tables.add(list(text(found.getString("TABLE_NAME")), text(found.getString("TABLE_TYPE").toLowerCase())));
      }
    }
    List<String> columns = new ArrayList<>();
    for (String name : names) addColumns(data, name, columns);
    return "{\"tables\":" + list(tables) + ",\"columns\":" + list(columns) + "}";
  }

  static void addColumns(DatabaseMetaData data, String table, List<String> columns) throws SQLException {
    List<String> names = new ArrayList<>();
    List<String> types = new ArrayList<>();
    try (ResultSet found = data.getColumns(null, null, table, "%")) {
      while (found.next()) {
        names.add(found.getString("COLUMN_NAME"));
        types.add(found.getString("TYPE_NAME"));
      }
    }
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select * from \"" + table + "\"")) {
      ResultSetMetaData result = rows.getMetaData();
      for (int i = 0; i < names.size(); i++) {
        String ofResult = result.getColumnTypeName(i + 1);
        columns.add(list(text(table), text(names.get(i)), text(types.get(i)), text(ofResult)));
      }
    }
  }

  static String query(String sql, String[] parameters) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) bind(statement, i + 1, parameters[i]);
      try (ResultSet found = statement.executeQuery()) {
        ResultSetMetaData data = found.getMetaData();
        List<String> columns = new ArrayList<>();
        for (int i = 1; i <= data.getColumnCount(); i++) columns.add(text(data.getColumnLabel(i)));
        List<String> rows = new ArrayList<>();
        while (found.next()) {
          List<String> row = new ArrayList<>();
          for (int i = 1; i <= columns.size(); i++) row.add(value(found, i, data.getColumnTypeName(i)));
          rows.add(list(row));
        }
        return "{\"columns\":" + list(columns) + ",\"rows\":" + list(rows) + "}";
      }
    }
  }

  /** The first value of a statement, by getDate. */
  static String date(String sql) throws SQLException {
    try (Statement statement = connection.createStatement(); ResultSet found = statement.executeQuery(sql)) {
      found.next();
      return "{\"date\":" + text(found.getDate(1).toString()) + "}";
    }
  }

  static void bind(PreparedStatement statement, int place, String parameter) throws SQLException {
    String[] parts = parameter.split(":", 2);
    switch (parts[0]) {
      case "integer":
        statement.setLong(place, Long.parseLong(parts[1]));
        break;
      case "date":
        statement.setDate(place, Date.valueOf(parts[1]));
        break;
      case "timestamp":
        statement.setTimestamp(place, Timestamp.valueOf(parts[1]));
        break;
      default:
        statement.setString(place, parts[1]);
    }
  }

  static String value(ResultSet row, int place, String type) throws SQLException {
    Object value = row.getObject(place);
    if (value == null) return "null";
    if (type.equals("BOOLEAN")) return row.getBoolean(place) ? "\"1\"" : "\"0\"";
    if (type.equals("TIMESTAMP")) return moment(row, place);
    if (type.equals("BIGINT")) return "\"" + row.getLong(place) + "\"";
    if (value instanceof Integer || value instanceof Long) return "\"" + value + "\"";
    return value instanceof Number ? value.toString() : text(value.toString());
  }

  static String moment(ResultSet row, int place) throws SQLException {
    String read = row.getTimestamp(place).toString().replaceAll("\\.0$", "");
    String raw = row.getString(place);
    return text(read.equals(raw) ? read : "getTimestamp " + read + ", getString " + raw);
  }

  static String list(String... values) {
    return list(Arrays.asList(values));
  }

  static String list(List<String> values) {
    return "[" + String.join(",", values) + "]";
  }

  static String text(String value) {
    StringBuilder json = new StringBuilder("\"");
    for (char each : value.toCharArray()) {
      if (each == '"' || each == '\\') json.append('\\').append(each);
      else if (each < ' ') json.append(String.format("\\u%04x", (int) each));
      else json.append(each);
    }
    return json.append('"').toString();
  }
}
