import java.sql.*;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/** Prints how JDBC reads a row of a table: Types URL TABLE; a line for each column: name, type, class of the value, value. */
public class Types {
  public static void main(String[] arguments) throws Exception {
    try (Connection connection = DriverManager.getConnection(arguments[0]);
        Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery("select * from " + arguments[1])) {
      ResultSetMetaData data = found.getMetaData();
      found.next();
      for (int i = 1; i <= data.getColumnCount(); i++) {
        Object value = found.getObject(i);
        String shown = value == null ? "null" : value.toString();
        if (value != null && data.getColumnTypeName(i).equals("timestamptz"))
          shown = found.getObject(i, OffsetDateTime.class).withOffsetSameInstant(ZoneOffset.UTC).toString();
        String kind = value == null ? "null" : value.getClass().getSimpleName();
        System.out.println(data.getColumnName(i) + "\t" + data.getColumnTypeName(i) + "\t" + kind + "\t" + shown.replace("\n", " "));
      }
    }
  }
}
